/// A change at the path at which a listener serves.
package enum PathEvent: Sendable, Equatable {
    /// These files were deleted or replaced, and were created again. New connections reach this listener.
    case restored(SocketParts)
    /// The path belongs to another process (`.addressInUse`), or a missing file cannot be created again for another
    /// reason.
    case lost(TransportError)
    /// New connections reach this listener again, after `lost`.
    case regained
}

/// The state of a listener's path, as a pure value. Its inputs are the results of checks. Its outputs are the event to
/// report and the time of the next check.
///
/// A listener never fights over its path. A missing file is created again only if another process neither has the lock
/// nor serves there. Otherwise the path is lost until that is the case again.
struct PathWatch: Sendable {
    private enum Status: Equatable {
        /// Both files belong to this listener.
        case held
        /// The socket belongs to this listener, and another process has the lock. That process is starting, and is
        /// about to find out that the path is in use.
        case contested
        case lost(TransportError)
    }

    /// The time between two checks. A check is two system calls, which take some microseconds. Notifications of changes
    /// (inotify, kqueue) would need a descriptor and a watch of each parent folder, and would miss files that a mount
    /// hides.
    static let pause: Duration = .seconds(1)
    /// The time between two checks while another process serves there, which the checks would disturb.
    static let pauseWhileTaken: Duration = .seconds(10)

    private var status = Status.held

    /// The time from now until the next check.
    var pause: Duration {
        if case .lost(let error) = status, error.code == .addressInUse { Self.pauseWhileTaken } else { Self.pause }
    }

    /// Records a check after which all files are in their place. `missing` are the files that were missing before the
    /// check.
    mutating func held(missing: SocketParts) -> PathEvent? {
        defer { status = .held }
        if case .lost = status { return .regained }
        return missing.isEmpty ? nil : .restored(missing)
    }

    /// Records a check in which a missing file could not be created again.
    mutating func failed(missing: SocketParts, _ error: TransportError) -> PathEvent? {
        if missing == .lock, error.code == .addressInUse, status == .held {
            status = .contested
            return nil
        }
        defer { status = .lost(error) }
        return status == .lost(error) ? nil : .lost(error)
    }
}
