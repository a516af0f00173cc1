/// What a process is in a session.
package struct Role: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let worker = Role(rawValue: 1)
    package static let coordinator = Role(rawValue: 2)
    package static let client = Role(rawValue: 3)
    package static let tool = Role(rawValue: 4)

    package var description: String {
        switch self {
        case .worker: "worker"
        case .coordinator: "coordinator"
        case .client: "client"
        case .tool: "tool"
        default: "process of role \(rawValue) (unknown to this version)"
        }
    }
}

/// Which of a feature's two states travels on a channel.
package enum FeatureLevel: UInt8, Sendable, Hashable, CaseIterable {
    /// A worker's: domain state, and events that the interactor handles.
    case domain = 1
    /// A coordinator's: view state, and events of people.
    case view = 2
}
