/// What a process is in a session.
package enum Role: UInt8, Sendable, Hashable, CaseIterable {
    case worker = 1
    case coordinator = 2
    case client = 3
    case tool = 4
}

/// Which of a feature's two states travels on a channel.
package enum FeatureLevel: UInt8, Sendable, Hashable, CaseIterable {
    /// A worker's: domain state, and events that the interactor handles.
    case domain = 1
    /// A coordinator's: view state, and events of people.
    case view = 2
}
