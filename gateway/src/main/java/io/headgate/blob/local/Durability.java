package io.headgate.blob.local;

/** When a put or a delete of a local account returns. */
public enum Durability {
    /** When it survives a loss of power, as far as the disk keeps its word. */
    SYNC,
    /** When the operating system has it: survives the process, not the machine. For benchmarks. */
    NONE
}
