import Logging

/// Why a connection was not kept, for the log.
enum TurnedAway: CaseIterable {
    /// It said hello, and as many clients are connected as may be.
    case tooMany
    /// It said nothing, and others needed the place.
    case silent
    /// It is another user's.
    case foreign

    func log(_ count: Int, isFirst: Bool, to logger: Logger) {
        let many = isFirst ? "a" : "\(count) more"
        let (one, several) =
            switch self {
            case .tooMany: ("client was turned away", "clients were turned away")
            case .silent: ("connection without a hello was closed", "connections without a hello were closed")
            case .foreign: ("program of another user was turned away", "programs of other users were turned away")
            }
        let reason =
            switch self {
            case .tooMany: "as many are connected as may be"
            case .silent: "others needed the place"
            case .foreign: "only this user's may connect"
            }
        logger.warning("\(many) \(isFirst || count == 1 ? one : several): \(reason)")
    }
}
