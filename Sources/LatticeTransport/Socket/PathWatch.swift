/// News of the path at which a listener serves.
package enum PathEvent: Sendable, Equatable {
    /// These were deleted or replaced, and are made again: whoever connects comes here.
    case restored(SocketParts)
    /// The path is somebody else's (`.addressInUse`), or what is missing cannot be made again for another reason.
    case lost(TransportError)
    /// After `lost`: whoever connects comes here again.
    case regained
}

/// What is known of a listener's path, as a value: it hears how each look ended, and answers what is news and when to
/// look again.
///
/// A path is never fought over. What is missing is made again only if nobody else has the lock and nobody serves there;
/// otherwise the path is lost, until that holds again.
struct PathWatch: Sendable {
    private enum Standing: Equatable {
        /// Both files are ours.
        case held
        /// The socket is ours and somebody else has the lock: one that starts, and is about to find out that we serve.
        case contested
        case lost(TransportError)
    }

    /// Between two looks. A look is two calls of the system, some microseconds; being told of changes instead (inotify,
    /// kqueue) takes a descriptor and a watch of every folder above, and misses what a mount hides.
    static let pause: Duration = .seconds(1)
    /// While somebody else serves there, who would be disturbed.
    static let pauseWhileTaken: Duration = .seconds(10)

    private var standing = Standing.held

    /// How long from now until the next look.
    var pause: Duration {
        if case .lost(let error) = standing, error.code == .addressInUse { Self.pauseWhileTaken } else { Self.pause }
    }

    /// Everything is at its place; `missing` was not before this look.
    mutating func held(missing: SocketParts) -> PathEvent? {
        defer { standing = .held }
        if case .lost = standing { return .regained }
        return missing.isEmpty ? nil : .restored(missing)
    }

    /// What was missing could not be made again.
    mutating func failed(missing: SocketParts, _ error: TransportError) -> PathEvent? {
        if missing == .lock, error.code == .addressInUse, standing == .held {
            standing = .contested
            return nil
        }
        defer { standing = .lost(error) }
        return standing == .lost(error) ? nil : .lost(error)
    }
}
