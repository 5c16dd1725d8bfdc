package io.headgate.region;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Stands before parts of a gateway, and lets it die at a call that is chosen: before the call, or after it, with its answer lost. */
public final class Deaths {
    private int callsLeft = Integer.MAX_VALUE;
    private boolean after;

    /** What a gateway does that dies: nothing more. */
    public static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** @param calls how many calls of all parts together go well before */
    public synchronized void dieAt(int calls, boolean afterIt) {
        callsLeft = calls;
        after = afterIt;
    }

    public synchronized void live() {
        callsLeft = Integer.MAX_VALUE;
    }

    private synchronized boolean isLast() {
        return callsLeft-- == 0;
    }

    public <T> T before(Class<T> type, T part) {
        Object standing =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    boolean dies = isLast();
                    if (dies && !after) {
                        throw new Died();
                    }
                    try {
                        Object answer = method.invoke(part, arguments);
                        if (dies) {
                            throw new Died();
                        }
                        return answer;
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
        return type.cast(standing);
    }
}
