import Logging

/// The reason why a connection was refused or closed, for the log.
enum ConnectionRejection {
    /// The connection sent hello, and the maximum number of clients is connected.
    case tooMany
    /// The connection sent no hello, and another connection needed its place.
    case silent
    /// The connection is from a process of another user.
    case foreign

    func log(_ count: Int, isFirst: Bool, to logger: Logger) {
        let (one, several, end, reason) =
            switch self {
            case .tooMany: ("client", "clients", "refused", "the maximum number of clients is connected")
            case .silent:
                ("connection without a hello", "connections without a hello", "closed", "others needed the place")
            case .foreign:
                ("program of another user", "programs of other users", "refused", "only this user may connect")
            }
        let many = isFirst ? "A" : "\(count) more"
        logger.warning("\(many) \(isFirst || count == 1 ? "\(one) was" : "\(several) were") \(end), because \(reason).")
    }
}
