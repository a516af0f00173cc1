import Logging

/// Why a connection was not kept, for the log.
enum ConnectionRejection {
    /// It said hello, and as many clients are connected as may be.
    case tooMany
    /// It said nothing, and others needed the place.
    case silent
    /// It is another user's.
    case foreign

    func log(_ count: Int, isFirst: Bool, to logger: Logger) {
        let (one, several, end, reason) =
            switch self {
            case .tooMany: ("client", "clients", "turned away", "as many are connected as may be")
            case .silent:
                ("connection without a hello", "connections without a hello", "closed", "others needed the place")
            case .foreign:
                ("program of another user", "programs of other users", "turned away", "only this user's may connect")
            }
        let many = isFirst ? "a" : "\(count) more"
        logger.warning("\(many) \(isFirst || count == 1 ? "\(one) was" : "\(several) were") \(end): \(reason)")
    }
}
