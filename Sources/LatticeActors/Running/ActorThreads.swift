/// Where the calls of an actor run that come from other processes.
public enum ActorThreads: Sendable, Hashable {
    /// On threads of which there are as many as are needed, as effects do: a method may compute and block for as long
    /// as it likes.
    case pool
    /// On the thread that has read the call, which also writes the answer: for methods that take microseconds and wait
    /// for nothing, whose answer is then there earlier by what it takes to wake a thread. Whatever takes longer holds
    /// up all that the process reads, and in the end its heartbeat.
    case reader
}
