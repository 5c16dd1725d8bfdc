package io.headgate.policy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/** The addresses that share their first bits, such as {@code 10.0.0.0/8}; a single address is a block of its own. */
record CidrBlock(InetAddress address, int prefixBits) {
    private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}");
    private static final Pattern BITS = Pattern.compile("[0-9]{1,3}");

    /** Empty if it is none. No name is ever looked up. */
    static Optional<CidrBlock> parse(String text) {
        int slash = text.indexOf('/');
        Optional<InetAddress> address = address(slash < 0 ? text : text.substring(0, slash));
        if (address.isEmpty()) {
            return Optional.empty();
        }
        int allBits = address.get().getAddress().length * Byte.SIZE;
        if (slash < 0) {
            return Optional.of(new CidrBlock(address.get(), allBits));
        }
        String bits = text.substring(slash + 1);
        if (!BITS.matcher(bits).matches() || Integer.parseInt(bits) > allBits) {
            return Optional.empty();
        }
        return Optional.of(new CidrBlock(address.get(), Integer.parseInt(bits)));
    }

    /** Only the usual forms: not {@code 10.1}, which the JDK takes for 10.0.0.1, and no zones. */
    private static Optional<InetAddress> address(String text) {
        boolean usual = (text.indexOf(':') >= 0 ? IPV6 : IPV4).matcher(text).matches();
        if (!usual) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    boolean contains(String text) {
        Optional<InetAddress> other = address(text);
        if (other.isEmpty()) {
            return false;
        }
        byte[] mine = address.getAddress();
        byte[] theirs = other.get().getAddress();
        if (mine.length != theirs.length) {
            return false;
        }
        for (int bit = 0; bit < prefixBits; bit += Byte.SIZE) {
            int mask = 0xFF << Math.max(0, Byte.SIZE - (prefixBits - bit));
            if (((mine[bit / Byte.SIZE] ^ theirs[bit / Byte.SIZE]) & mask & 0xFF) != 0) {
                return false;
            }
        }
        return true;
    }

    boolean isIpv4() {
        return address instanceof Inet4Address;
    }
}
