/// What a process may do with a coordinator besides using its features: nothing, look into it, or look and act.
///
/// You return a permission from ``CoordinatorConfiguration/controlPermission``.
public struct ControlPermission: Sendable, Hashable {
    /// The permission, with the reasons for what is refused.
    private enum Kind: Hashable {
        case nothing(String)
        case look(String)
        case act
    }

    private let kind: Kind

    /// The process may do nothing.
    ///
    /// - Parameter reason: The reason, as a complete sentence. The process gets it.
    public static func nothing(_ reason: String) -> ControlPermission { ControlPermission(kind: .nothing(reason)) }

    /// The process may look into the coordinator, and may not act: it restarts no worker, for example.
    ///
    /// - Parameter reason: The reason why it may not act, as a complete sentence. The process gets it.
    public static func look(_ reason: String) -> ControlPermission { ControlPermission(kind: .look(reason)) }

    /// The process may look and act. A client may only look nevertheless.
    public static let act = ControlPermission(kind: .act)

    /// The reason why the process may not look, or nil if it may.
    var refusalToLook: String? { if case .nothing(let reason) = kind { reason } else { nil } }

    /// The reason why the process may not act, or nil if it may.
    var refusalToAct: String? {
        switch kind {
        case .nothing(let reason), .look(let reason): reason
        case .act: nil
        }
    }
}
