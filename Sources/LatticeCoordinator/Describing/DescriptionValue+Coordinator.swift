import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

extension DescriptionValue {
    /// A duration in milliseconds, or `null`.
    static func milliseconds(_ duration: Duration?) -> DescriptionValue {
        DescriptionValue(duration.map { $0.nanoseconds / 1_000_000 })
    }

    /// A duration in milliseconds with its fraction, or `null`.
    static func fraction(nanoseconds: Int64?) -> DescriptionValue {
        nanoseconds.map { .float(Double($0) / 1_000_000) } ?? .null
    }

    /// The time since an instant in milliseconds, or `null`.
    static func age(_ instant: ContinuousClock.Instant?) -> DescriptionValue {
        milliseconds(instant.map { $0.duration(to: .now) })
    }
}

extension RuntimeEvent.Member {
    /// The name of the worker for people: the group, and the instance or the number in the group. Features that are in
    /// no group have the worker `default`.
    var title: String {
        let name = group.isEmpty ? "default" : group
        if let instance { return "\(name)/\(instance)" }
        if let member = self.name { return "\(name)#\(member)" }
        return name
    }
}

extension HostStatus {
    /// The status in one word.
    var word: String {
        switch self {
        case .local: "local"
        case .connecting: "connecting"
        case .serving: "serving"
        case .unresponsive: "unresponsive"
        case .restarting: "restarting"
        case .draining: "draining"
        case .failed: "failed"
        case .other(let other): "status \(other.number)"
        }
    }

    /// A sentence about the status, or nil if there is nothing to add to the word.
    var reason: String? {
        switch self {
        case .serving(let serving): serving.problem
        case .unresponsive(let worker): worker.reason
        case .restarting(let restart):
            "attempt \(restart.attempt) in \(restart.delay.milliseconds) ms, after the worker \(restart.cause)"
        case .failed(let failure): failure.reason
        case .other(let other): other.sentence
        case .local, .connecting, .draining: nil
        }
    }
}
