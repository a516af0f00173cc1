import LatticeJobs

/// A job of a round, and how it ended.
struct ChaosJobRecord: Equatable, Sendable {
    /// The end of a job, as far as it matters for the checks.
    enum End: Equatable, Sendable {
        /// It did not end within the time.
        case never
        case returned(isRight: Bool)
        /// It failed with this code. The failures are nil if its caller was cancelled, because they are then not known.
        case failed(JobError.Code, [JobFailure]?)
        /// It ended in an unexpected way.
        case other(String)
    }

    let job: ChaosJob
    let end: End
    /// The time from its cancellation to its end, if its caller cancelled it.
    var cancelTime: Duration?
    /// A Boolean value that indicates whether the last status of the job says something else than its end.
    var hasOtherStatus = false
}

extension ChaosJobRecord.End {
    init(_ error: any Error) {
        self =
            switch error {
            case is CancellationError: .failed(.cancelled, nil)
            case let error as JobError: .failed(error.code, error.failures)
            default: .other("\(error)")
            }
    }

    var isSuccess: Bool { if case .returned = self { true } else { false } }

    /// A short name for counting the ends of jobs, and for sentences.
    var name: String {
        switch self {
        case .never: "never ended"
        case .returned: "returned"
        case .failed(let code, _): code.description
        case .other: "ended otherwise"
        }
    }
}

extension ChaosJobRecord.End: CustomStringConvertible {
    var description: String {
        switch self {
        case .never, .returned: name
        case .failed(let code, let failures):
            (["ended with the code \(code)"] + (failures ?? []).suffix(2).map(\.description)).joined(separator: "; ")
        case .other(let error): "ended with \(error)"
        }
    }
}
