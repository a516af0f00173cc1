import LatticeCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A feature whose turns and whose encoding take long. It blocks threads on purpose.
enum Subject: HostedFeature {
    enum Action: Codable, Sendable {
        /// Adds the number to the sum.
        case add(Int)
        /// Blocks the thread of the turn.
        case block(milliseconds: Int)
        /// Fills the state with this many elements, each of which blocks its encoder for this time.
        case fill(elements: Int, millisecondsEach: Int)
    }

    struct DomainState: Codable, Equatable, Sendable {
        var sum = 0
        var elements: [SlowElement] = []
    }

    static let identifier = "subject"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .add(let number): state.sum += number
            case .block(let milliseconds): usleep(UInt32(milliseconds) * 1000)
            case .fill(let count, let milliseconds):
                state.elements = Array(repeating: SlowElement(milliseconds: milliseconds), count: count)
            }
            return .none
        }
    }

    static func reducer() -> BuildViewState<DomainState, Int> {
        BuildViewState(initial: { $0.sum }) { $1 = $0.sum + $0.elements.count }
    }
}

/// A part of a large value whose encoding blocks for a given time.
struct SlowElement: Codable, Equatable, Sendable {
    private var milliseconds: Int
    private var numbers: [Int]

    enum CodingKeys: CodingKey { case milliseconds, numbers }

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
        numbers = Array(repeating: 0, count: 200)
    }

    func encode(to encoder: any Encoder) throws {
        usleep(UInt32(milliseconds) * 1000)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(milliseconds, forKey: .milliseconds)
        try container.encode(numbers, forKey: .numbers)
    }
}
