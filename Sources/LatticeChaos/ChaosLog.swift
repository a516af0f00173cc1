/// The independent states of a round: those of two features, one of which has two instances.
enum ChaosLog: Int, CaseIterable, Codable, Sendable {
    case first
    case firstAgain
    case second

    var instance: String { self == .firstAgain ? "again" : "" }

    /// A Boolean value that indicates whether the log's worker has its own group, into which no faults are injected.
    var isSpared: Bool { self == .second }
}

extension ChaosLog: CustomStringConvertible {
    var description: String {
        switch self {
        case .first: "the first feature"
        case .firstAgain: "the first feature's other instance"
        case .second: "the spared feature"
        }
    }
}
