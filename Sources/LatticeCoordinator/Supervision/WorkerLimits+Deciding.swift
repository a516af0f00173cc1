import LatticeCore
import LatticeSession
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What decides, without looking at any process.
extension WorkerLimits {
    /// Those that the system keeps.
    var ofProcess: ProcessLimits {
        ProcessLimits(
            openFiles: openFiles,
            cpuSeconds: cpuTime.map { Int(clamping: $0.components.seconds) },
            memoryBytes: totalMemoryBytes,
            tasks: tasks
        )
    }

    /// Whether a worker that has so many bytes of memory has too many.
    func arePassed(byMemory bytes: Int) -> Bool {
        memoryBytes.map { bytes > $0 } ?? false
    }

    /// How a worker is asked whether it is there: so often that a turn is seen to take long in the first half of its
    /// time.
    func liveness(_ times: Liveness) -> Liveness {
        var times = times
        if let turn { times.interval = min(times.interval, turn / 4) }
        times.patience = min(times.interval, times.limit / 2)
        return times
    }

    /// When to look again at a worker that does not answer; nil: its turn takes too long.
    ///
    /// - Parameter turn: The one that runs, if one does.
    func nextLook(in turn: TurnRecord.Turn?) -> Duration? {
        guard let limit = self.turn else { return .seconds(1) }
        let rest = limit - (turn?.elapsed ?? .zero)
        return rest > .zero ? max(rest, .milliseconds(1)) : nil
    }

    /// What the end of a worker's process was.
    ///
    /// - Parameters:
    ///   - computed: For how long it has computed.
    ///   - hadTooMuchMemory: Whether it was killed for that. One that ended by itself just before was not.
    func cause(
        of end: ChildProcess.End,
        after computed: Duration,
        hadTooMuchMemory: Bool
    ) -> Interruption.Cause {
        switch end {
        case .signaled(SIGKILL) where hadTooMuchMemory: .memory
        case .signaled(SIGXCPU) where cpuTime != nil: .cpuTime
        // It has had a SIGXCPU by then, and has gone on.
        case .signaled(SIGKILL) where cpuTime.map { computed >= $0 } ?? false: .cpuTime
        case .signaled(let signal): .signal(signal)
        case .exited(let code): .exit(code: code)
        case .unknown(let loss): hadTooMuchMemory ? .memory : .statusLost("\(loss)")
        }
    }
}
