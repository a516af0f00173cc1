/// The independent states of a round: of two features, and one of these in two instances.
enum ChaosLog: Int, CaseIterable, Codable, Sendable {
    case first
    case firstAgain
    case second

    var instance: String { self == .firstAgain ? "again" : "" }

    /// Whether it has a worker of its own, in a group to which nothing happens.
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
