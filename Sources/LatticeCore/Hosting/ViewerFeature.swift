/// A hosted feature whose view state depends on the viewer.
///
/// ```swift
/// enum Poker: ViewerFeature {
///     static func reducer(for viewer: Viewer.Identity) -> some ViewStateReducer<Table, Shown> & Sendable {
///         BuildViewState(initial: { _ in Shown() }) { table, shown in
///             shown.board = table.board
///             shown.hand = table.hands[viewer.description] ?? []
///         }
///     }
/// }
/// ```
///
/// All viewers share one domain state and one interactor. A coordinator keeps one view state for each
/// ``ViewerKey``, and sends it, and its changes, only to clients with that key. Clients with equal keys share the view
/// state and its encoded form.
///
/// ``reducer(for:)`` receives the key and nothing else of a viewer, so the view state cannot show a client what was
/// meant for another client with the same key.
public protocol ViewerFeature: HostedFeature where HostedReducer == ViewerReducer {
    /// The type of the key that distinguishes viewers. Viewers with equal keys share one view state. The default is
    /// ``Viewer/Identity``, so that each client has its own view state.
    associatedtype ViewerKey: Hashable & Sendable = Viewer.Identity
    /// The type of the reducers. It is inferred from ``reducer(for:)``.
    associatedtype ViewerReducer: ViewStateReducer<DomainState, ViewState> & Sendable = AnyViewStateReducer<
        DomainState, ViewState
    >

    /// Returns the key of a viewer, such as its user or its role.
    ///
    /// A coordinator calls the function once each time that a client opens an instance, on any thread. A client that
    /// comes back after a lost connection can get another key than before.
    static func viewerKey(of viewer: Viewer) -> ViewerKey

    /// Returns the reducer of the view state that viewers with this key share.
    ///
    /// A coordinator calls the function when the first client with the key opens an instance. It drops the reducer and
    /// the view state when the last one has left. The reducer follows the rules of ``HostedFeature/reducer()``.
    static func reducer(for key: ViewerKey) -> ViewerReducer
}

extension ViewerFeature {
    /// Returns the reducer for ``Viewer/program``: for the view model of the coordinator's own program, and for a view
    /// model in process. Do not implement this function.
    public static func reducer() -> ViewerReducer { reducer(for: viewerKey(of: .program)) }
}

extension ViewerFeature where ViewerKey == Viewer.Identity {
    /// Returns the identity of the viewer.
    public static func viewerKey(of viewer: Viewer) -> Viewer.Identity { viewer.identity }
}

/// The process that a view state is shown to.
public enum Viewer: Sendable, Hashable {
    /// The program that owns the view model: the coordinator's own program, or the only program if the feature runs in
    /// process.
    case program
    /// A client of the coordinator. Its process and user are those that the kernel recorded when it connected. Its
    /// `sender` is the identity that the client chose, and its `program` is a hint.
    case client(RuntimeEvent.Client)

    /// The identity of a viewer, which a client keeps when it connects again.
    public enum Identity: Sendable, Hashable, CustomStringConvertible {
        /// The coordinator's own program.
        case program
        /// A client, by the identity that it chose, in 32 hexadecimal digits, and the user of its process. The user is
        /// nil if the system does not report it. The kernel reports the user, so a client cannot take the identity
        /// of another user's client.
        case client(sender: String, userID: UInt32?)

        /// "program", or the digits of the client.
        public var description: String {
            switch self {
            case .program: "program"
            case .client(let sender, _): sender
            }
        }
    }

    /// The identity of the viewer.
    public var identity: Identity {
        switch self {
        case .program: .program
        case .client(let client): .client(sender: client.sender, userID: client.userID)
        }
    }
}
