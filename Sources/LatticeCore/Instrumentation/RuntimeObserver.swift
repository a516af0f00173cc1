/// A closure that receives runtime events of some kinds.
///
/// Observers are part of the configuration of a coordinator or client, and an argument of a worker's `run`:
///
/// ```swift
/// configuration.observers.append(RuntimeObserver(of: .workers) { event in print(event) })
/// ```
///
/// The runtime calls the closure at once, on the thread on which the event happens: the thread that reads the sockets,
/// the main thread, or another one of its threads. It holds no lock during the call. Two calls can overlap, and the
/// order of events on different threads is not defined. The events of one worker and of one connection arrive in the
/// order in which they happened, except that a line of output can arrive late. If an event ends on another thread while
/// it is accepted or sent, ``RuntimeEvent/eventEnded(_:_:after:)`` can arrive before
/// ``RuntimeEvent/eventAccepted(_:)`` or ``RuntimeEvent/eventSent(_:)`` of that event.
///
/// The closure delays the runtime, so it must be quick and must never wait. An observer that has more to do passes the
/// event on, for example to the continuation of an `AsyncStream` with a limited buffer. Observers are called in the
/// order of the configuration, and the log comes last.
public struct RuntimeObserver: Sendable {
    /// The kinds of events that the observer receives. An event of any other kind is not even created for it.
    public let interest: RuntimeEvent.Kinds
    /// Returns the lowest level of a worker's output that the observer uses. Nil if it uses all output.
    let outputLevel: (@Sendable () -> RuntimeEvent.Level)?
    let receive: @Sendable (RuntimeEvent) -> Void
    /// The tracer that opens spans for what the runtime does, or nil.
    package let tracer: (any RuntimeTracer)?

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - interest: The kinds of events that the observer receives.
    ///   - receive: A closure that is called with each event of these kinds. It is called on any thread.
    public init(of interest: RuntimeEvent.Kinds, receive: @escaping @Sendable (RuntimeEvent) -> Void) {
        self.init(of: interest, tracer: nil, receive: receive)
    }

    /// Creates an observer that also opens spans. Of several tracers in a process, the first one is used.
    package init(
        of interest: RuntimeEvent.Kinds,
        tracer: (any RuntimeTracer)?,
        receive: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.interest = interest
        outputLevel = nil
        self.receive = receive
        self.tracer = tracer
    }

    /// Creates the observer that writes the log.
    ///
    /// - Parameters:
    ///   - level: Returns the lowest level that is logged. The observer does not receive output of workers below it.
    ///     Nil to receive all output.
    ///   - write: Writes an entry. It is called on any thread.
    package init(
        outputFrom level: (@Sendable () -> RuntimeEvent.Level)? = nil,
        logging write: @escaping @Sendable (RuntimeLogLine) -> Void
    ) {
        interest = .logged
        outputLevel = level
        tracer = nil
        receive = { event in
            if let line = event.logLine { write(line) }
        }
    }

    /// Creates the observer that keeps what the log contains, without making entries of it.
    ///
    /// - Parameters:
    ///   - level: Returns the lowest level of a worker's output that is kept. The observer receives output below it if
    ///     another observer uses it.
    ///   - receive: A closure that is called with each event of the kinds that are logged. It is called on any thread.
    package init(
        loggedWithOutputFrom level: @escaping @Sendable () -> RuntimeEvent.Level,
        receive: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        interest = .logged
        outputLevel = level
        tracer = nil
        self.receive = receive
    }

    func takesOutput(at level: RuntimeEvent.Level) -> Bool {
        interest.contains(.workerOutput) && outputLevel.map { $0() <= level } ?? true
    }
}
