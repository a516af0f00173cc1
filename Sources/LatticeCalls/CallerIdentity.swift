/// The identity of the process that has made a call. It comes from the session on which the call arrived, so a process
/// cannot state that of another one. It is the same for all calls of a process on one session, and unique while that
/// session is open.
package struct CallerIdentity: Hashable, Sendable {
    /// The session on which the call has arrived.
    package let session: ObjectIdentifier
    /// The number of the process there, if another process has passed the call on.
    package let origin: UInt64

    /// Creates an identity.
    package init(session: ObjectIdentifier, origin: UInt64) {
        self.session = session
        self.origin = origin
    }
}

extension IncomingCall {
    /// The process that has made the call, or nil if it is this process.
    package var callerIdentity: CallerIdentity? {
        switch caller {
        case .own: nil
        case .session(let session, _): CallerIdentity(session: ObjectIdentifier(session), origin: origin)
        }
    }
}
