import LatticeCore
import LatticeProcess
import LatticeSession

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The decisions that depend on limits alone and need no access to a process.
extension WorkerLimits {
    /// The limits that the operating system enforces.
    var ofProcess: ProcessLimits {
        ProcessLimits(
            openFiles: openFiles,
            cpuSeconds: cpuTime.map { Int(clamping: $0.components.seconds) },
            memoryBytes: totalMemoryBytes,
            tasks: tasks
        )
    }

    /// Returns whether a worker that uses this many bytes of memory exceeds its limit.
    func arePassed(byMemory bytes: Int) -> Bool {
        memoryBytes.map { bytes > $0 } ?? false
    }

    /// Returns how often the worker is asked for a heartbeat. The interval is short enough to notice a long turn within
    /// the first half of its limit.
    func liveness(_ liveness: Liveness) -> Liveness {
        var liveness = liveness
        if let turnTimeout { liveness.interval = min(liveness.interval, turnTimeout / 4) }
        liveness.patience = min(liveness.interval, liveness.timeout / 2)
        return liveness
    }

    /// Returns the delay before the next check of a worker that does not answer, or nil if its turn takes too long.
    ///
    /// - Parameter turn: The turn that is running, if there is one.
    func nextCheck(in turn: TurnRecord.Turn?) -> Duration? {
        guard let turnTimeout else { return .seconds(1) }
        let rest = turnTimeout - (turn?.elapsed ?? .zero)
        return rest > .zero ? max(rest, .milliseconds(1)) : nil
    }

    /// Returns the cause of the end of a worker's process.
    ///
    /// - Parameters:
    ///   - end: How the process ended.
    ///   - computed: The CPU time that the process used.
    ///   - hadTooMuchMemory: Whether the process was killed for its memory use. A process that ended on its own just
    ///     before that is not treated as killed.
    ///   - wasOverdue: Whether the process was about to end itself because an effect had not ended after its timeout.
    func cause(
        of end: ChildProcess.End,
        after computed: Duration,
        hadTooMuchMemory: Bool,
        wasOverdue: Bool = false
    ) -> Interruption.Cause {
        switch end {
        case .signaled(SIGKILL) where wasOverdue: .effectTimeout
        case .signaled(SIGKILL) where hadTooMuchMemory: .memory
        case .signaled(SIGXCPU) where cpuTime != nil: .cpuTime
        // The process ignored SIGXCPU, so the system killed it.
        case .signaled(SIGKILL) where cpuTime.map { computed >= $0 } ?? false: .cpuTime
        case .signaled(let signal): .signal(signal)
        case .exited(let code): .exit(code: code)
        case .unknown(let loss): hadTooMuchMemory ? .memory : .statusLost("\(loss)")
        }
    }
}
