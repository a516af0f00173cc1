import LatticeCore
import LatticeJobs

/// Checks the guarantees after a round of jobs. The result only depends on the jobs, on how they ended, and on the
/// attempts that the workers have logged as begun.
struct JobChecker {
    /// The jobs of the callers that lived until the end.
    let records: [ChaosJobRecord]
    /// The jobs of the caller that was killed. It is unknown how they ended.
    var unknown: [ChaosJob] = []
    /// The logs of the workers with the attempts that have begun.
    var logs: [[ChaosJob.Attempt]] = []
    /// A Boolean value that indicates whether faults of workers were planned.
    var hasFaults = true
    /// A Boolean value that indicates whether a worker runs several jobs at a time. An attempt that others interrupt
    /// then begins again with its number.
    var sharesWorkers = false
    /// The time that may pass after a limit until its job has ended.
    let patience: Duration

    /// The maximum number of failures that tell how many attempts a job had.
    private static let knownFailures = JobError.maximumFailures - 1
    /// The time between two measurements of CPU time and memory.
    private static let measuringInterval: Duration = .milliseconds(50)

    /// Returns the broken guarantees, each in a sentence.
    func violations() -> [String] {
        let begun = Dictionary(logs.joined().map { ($0, 1) }, uniquingKeysWith: +)
        let maximum = sharesWorkers ? 1 + JobPoolConfiguration.maximumInterruptions : 1
        let doubles = begun.filter { $0.value > maximum }
            .map { "attempt \($0.key) has begun \($0.value) times" }.sorted()
        let attempts = Dictionary(begun.keys.map { ($0.job, 1) }, uniquingKeysWith: +)
        let made = Set(records.map(\.job.identifier) + unknown.map(\.identifier))
        let strangers = attempts.keys.filter { !made.contains($0) }.map { "job \($0) has begun, and was never made" }
        return records.flatMap { record in
            faults(of: record, begun: attempts[record.job.identifier, default: 0]).map {
                "job \(record.job.identifier) (\(record.job.deed.rawValue)) \($0)"
            }
        } + doubles + strangers.sorted()
    }

    private func faults(of record: ChaosJobRecord, begun: Int) -> [String] {
        let faults = [
            fault(of: record), faultOfCount(record, begun),
            record.hasOtherStatus ? "ended, and its last status says something else" : nil,
        ]
        return faults.compactMap(\.self)
    }

    /// Returns what is wrong with the end of a job.
    private func fault(of record: ChaosJobRecord) -> String? {
        switch (record.job.deed.expectation, record.end) {
        case (.output, .returned(isRight: true)): return nil
        case (.output, .returned(isRight: false)): return "returned another output"
        case (.cancelled(let time), .failed(.cancelled, _)):
            guard let cancelTime = record.cancelTime else { return "was cancelled, but not by its caller" }
            return cancelTime > time + patience ? late("its cancellation", cancelTime, time) : nil
        case (.thrown, .failed(.threw, let failures?)), (.setAside, .failed(.setAside, let failures?)):
            return faultOfOthers(failures, in: record)
        case (.workerEnded(let cause), .failed(.workerEnded, let failures?)):
            guard failures.last?.cause == .workerEnded(cause) else { return "\(record.end), but its worker \(cause)" }
            return faultOfOthers(failures, in: record)
        case (.limit(let name, let time), .failed(.limit, let failures?)):
            guard let last = failures.last, case .limit(let passed) = last.cause, passed.name == name else {
                return "\(record.end), but its limit is the one of \(name)"
            }
            return fault(of: passed, in: last, after: time) ?? faultOfOthers(failures, in: record)
        default: return "\(record.end), which is impossible"
        }
    }

    private func fault(of passed: PassedJobLimit, in failure: JobFailure, after time: Duration?) -> String? {
        let duration = failure.duration
        if let delay = failure.endDelay, delay > patience {
            return "ended \(delay) after it had passed its limit, and \(patience) of patience were expected"
        }
        if let time { return duration > time + patience ? late("its start", duration, time) : nil }
        let rest = Self.measuringInterval + patience
        return switch passed {
        case .cpuTime(let reached, let limit):
            reached > limit + rest ? late("its start, in CPU time", reached, limit) : nil
        case .memory(let reached, let limit):
            reached - limit > ChaosJob.leakedBytes * Int(rest / .milliseconds(1))
                ? "had \(reached) bytes of memory before it ended, and its limit is \(limit)" : nil
        case .wallTime, .silence: nil
        }
    }

    private func late(_ start: String, _ time: Duration, _ limit: Duration) -> String {
        "ended \(time) after \(start), \(limit) and \(patience) of patience were expected"
    }

    /// Returns what is wrong with the failures before the last one. Faults of workers cost attempts, and nothing else
    /// does, unless the deed asks for it.
    private func faultOfOthers(_ failures: [JobFailure], in record: ChaosJobRecord) -> String? {
        for failure in failures.dropLast() {
            switch failure.cause {
            case .workerLost where hasFaults: continue
            case .workerEnded(.signal) where record.job.deed == .crashAlways: continue
            default: return "has a failure that nothing explains: \(failure)"
            }
        }
        return nil
    }

    /// Returns what is wrong with the number of attempts that have begun.
    private func faultOfCount(_ record: ChaosJobRecord, _ begun: Int) -> String? {
        guard record.job.deed.program == nil else { return nil }
        switch record.end {
        case .returned: return begun == 0 ? "returned an output, and has never begun" : nil
        // A worker that loses its connection exits as after a job that exits.
        case .failed(.workerEnded, _) where begun == 0: return "ended its worker, and has never begun"
        case .failed(let code, let failures?) where failures.count <= Self.knownFailures:
            // An attempt that others interrupt counts for nothing. The job may be cancelled before it begins again.
            let interrupted = sharesWorkers && code == .cancelled ? 1 : 0
            return begun > failures.count + interrupted
                ? "has begun \(begun) times, and failed \(failures.count) times" : nil
        default: return nil
        }
    }
}
