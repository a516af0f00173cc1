import LatticeCore

/// Many clients of `CrowdFeature` in one process. It is a feature in a worker, so that the runtime starts the process,
/// talks to it and ends it.
enum CrowdMembersFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects a number of clients to a coordinator, and opens the feature in each of them.
        case connect(path: String, count: Int)
        /// Ends when every client shows that each of these processes has a number of clients, and no other has any.
        case see(processes: [Int32], each: Int)
        /// The result of a request.
        case answered(Answer)
    }

    /// What the process has noticed.
    struct Answer: Codable, Equatable, Sendable {
        /// The time at which the last client showed what was asked for.
        var time: UInt64 = 0
        /// The memory of the process that it does not share, in bytes.
        var ownBytes = 0
    }

    static let identifier = "bench-crowd-members"
    static func initialDomainState(in context: HostContext) -> Answer { Answer() }

    static func interactor(in context: HostContext) -> Interact<Answer, Action> {
        let members = CrowdMembers()
        return Interact { answer, action in
            if case .answered(let new) = action {
                answer = new
                return .none
            }
            return .perform { .answered(try await members.answer(action)) }
        }
    }

    static func reducer() -> BuildViewState<Answer, Answer> { .asItIs }
}
