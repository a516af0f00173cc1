/// A hosted feature that knows which clients have it open.
///
/// ```swift
/// enum Board: PresenceFeature {
///     enum Action: Codable, Sendable { case present([String]), draw(Line) }
///
///     static func action(for presence: Presence, in state: DomainState) -> Action? {
///         .present(presence.clients.map { $0.program ?? "an unknown program" })
///     }
/// }
/// ```
///
/// What the interactor puts into the state reaches all clients in order with the other changes of the state, so clients
/// see who else is there.
public protocol PresenceFeature: HostedFeature {
    /// Returns the action that the interactor handles because clients have joined or left, or nil.
    ///
    /// The coordinator calls the function on the thread of its event loop, so it must not block. Changes within 10 ms
    /// are collected, and each change is reported once. The action is an event of the coordinator's program:
    /// ``EventContext/sender`` is ``EventSource/program``. A client that sends such an action itself is recognised by
    /// that. If the worker cannot accept the action now, the function is called again a second later.
    ///
    /// - Parameters:
    ///   - presence: The clients that are there, and the changes.
    ///   - state: The newest domain state that the coordinator has received.
    static func action(for presence: Presence, in state: DomainState) -> Action?
}

/// The clients that have an instance of a feature open, and what has changed.
public struct Presence: Sendable, Hashable {
    /// A change of the clients that are there.
    public enum Change: Sendable, Hashable {
        /// A client has opened the instance.
        case joined(RuntimeEvent.Client)
        /// A client has closed the instance, or has ended its connection with a goodbye.
        case left(RuntimeEvent.Client)
        /// The connection of a client has ended without a goodbye. Its process has probably terminated. If the client
        /// comes back, it joins again.
        case lost(RuntimeEvent.Client)
    }

    /// The maximum number of changes that are reported together. If the worker accepts nothing for so long that there
    /// are more, the oldest ones are dropped. ``clients`` is complete in any case.
    public static let maximumChanges = 4_096

    /// The clients that are there now, in the order in which they joined.
    public let clients: [RuntimeEvent.Client]
    /// The changes since the last report, in their order.
    public let changes: [Change]

    /// Creates a presence.
    public init(clients: [RuntimeEvent.Client], changes: [Change]) {
        self.clients = clients
        self.changes = changes
    }
}
