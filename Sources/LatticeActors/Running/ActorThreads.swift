/// The threads on which an actor runs calls from other processes.
public enum ActorThreads: Sendable, Hashable {
    /// Pool threads, as many as are needed, as for effects. A method may compute and block for any time.
    case pool
    /// The thread that has read the call, and that also writes the answer. Choose it for methods that take microseconds
    /// and never block. It saves the time of waking another thread. A longer method delays everything that the process
    /// reads, and finally its heartbeat.
    case reader
}
