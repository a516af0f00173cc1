package import LatticeWire

/// The first exchange of a session: `hello`, then `welcome` or `refuse`. Any other message before its completion is a
/// violation.
///
/// The handshake has no clock. ``SessionState`` limits its time. The limit is `FrameLimits.handshakeMilliseconds`, or
/// the one that the settings of a starting worker or a connecting client give.
///
/// - `idle`: no message was sent or received.
/// - `waitingForWelcome`: the initiator has sent `hello`.
/// - `waitingForHello`: the acceptor waits for `hello`.
/// - `done`: both sides know each other.
/// - `ended`: one side refused the other, or another message came first.
package struct Handshake: Sendable {
    /// The part of this process in the handshake.
    package enum Side: Sendable {
        /// This side connected, and sends this `hello`.
        case initiator(Hello)
        /// This side accepted the connection, and checks the `hello` of the other side.
        case acceptor(Acceptance)

        /// The side of the session, without the data for the handshake.
        package var place: SessionSide {
            if case .initiator = self { .initiator } else { .acceptor }
        }
    }

    /// The other side of a session, as the handshake describes it.
    package struct Peer: Sendable, Equatable {
        /// The protocol version that both sides use.
        package let version: UInt16
        /// The role of the other side.
        package let role: Role
        /// The incarnation of a worker that sent `hello`, or 0 for other roles.
        package let incarnation: UInt64
        /// The process ID of the other side.
        package let processID: UInt32
        /// The identity by which a client that reconnects is recognised. It is empty for other roles.
        package let identity: [UInt8]
        /// The store ID of the side that accepted the connection: it names what that side remembers. It is empty for
        /// the side that connected.
        package let storeID: [UInt8]
        /// The ID of the process that accepted the connection, or 0 for the side that connected.
        package let coordinatorID: UInt64
        /// The features that the other side serves.
        package let features: [FeatureAdvertisement]
        /// The name of the build that a worker runs. It is `nil` if the worker does not give one, and for other roles.
        package let build: [UInt8]?
        /// The ID of the other side's node, or `nil` if the other side takes no calls.
        package let node: [UInt8]?
    }

    /// What to do after a message of the handshake.
    package enum Step: Sendable {
        /// Send this message. The session is then open.
        case accept(Welcome, Peer)
        /// Nothing. The session is open.
        case opened(Peer)
        /// End the session, because one side refused the other with this message. ``SessionState`` decides whether the
        /// other side still needs to receive it.
        case refuse(Refuse)
    }

    private enum State: Sendable { case idle, waitingForWelcome(Hello), waitingForHello(Acceptance), done, ended }

    private var state: State = .idle
    private let side: Side

    /// Creates the handshake of one side.
    package init(_ side: Side) {
        self.side = side
    }

    /// A Boolean value that indicates whether the handshake has succeeded.
    package var isDone: Bool {
        if case .done = state { true } else { false }
    }

    /// Begins the handshake.
    ///
    /// - Returns: The message that an initiator must send, or `nil` for an acceptor.
    package mutating func start() -> Hello? {
        switch side {
        case .initiator(let hello):
            state = .waitingForWelcome(hello)
            return hello
        case .acceptor(let acceptance):
            state = .waitingForHello(acceptance)
            return nil
        }
    }

    /// Handles a message that came before the session was open.
    ///
    /// - Returns: What to do next.
    /// - Throws: A violation if the message is invalid or must not come now.
    package mutating func receive(
        _ kind: MessageKind,
        _ body: UnsafeRawBufferPointer
    ) throws(SessionError) -> Step {
        do throws(WireError) {
            switch (state, kind) {
            case (.waitingForHello(let acceptance), .hello):
                return answer(try Hello(decoding: body), acceptance)
            case (.waitingForWelcome(let hello), .welcome):
                return try finish(try Welcome(decoding: body), hello)
            case (.waitingForWelcome, .refuse):
                state = .ended
                let refusal = try Refuse(decoding: body)
                return .refuse(refusal)
            default:
                break
            }
        } catch {
            state = .ended
            throw .violation(error)
        }
        state = .ended
        throw .violation("\(kind) came before the handshake was done")
    }

    private mutating func answer(_ hello: Hello, _ acceptance: Acceptance) -> Step {
        state = .ended
        if let refusal = acceptance.refusal(of: hello) { return .refuse(refusal) }
        state = .done
        var welcome = acceptance.welcome
        welcome.version = acceptance.version(sharedWith: hello) ?? WireVersion.current
        return .accept(
            welcome,
            Peer(
                version: welcome.version,
                role: hello.role,
                incarnation: hello.incarnation,
                processID: hello.processID,
                identity: hello.identity,
                storeID: [],
                coordinatorID: 0,
                features: hello.features,
                build: hello.build,
                node: hello.node
            )
        )
    }

    private mutating func finish(_ welcome: Welcome, _ hello: Hello) throws(WireError) -> Step {
        guard hello.versions.contains(welcome.version) else {
            state = .ended
            return .refuse(
                Refuse(
                    code: .version,
                    reason: "the other side chose protocol version \(welcome.version), which was not offered",
                    versions: hello.versions
                )
            )
        }
        state = .done
        return .opened(
            Peer(
                version: welcome.version,
                role: welcome.role,
                incarnation: 0,
                processID: welcome.processID,
                identity: [],
                storeID: welcome.storeID,
                coordinatorID: welcome.coordinatorID,
                features: welcome.features,
                build: nil,
                node: welcome.node
            )
        )
    }
}
