package import LatticeWire

/// The first exchange of a session: `hello`, then `welcome` or `refuse`, and nothing else before.
///
/// It knows no time: how long it may take is told to ``Session`` (`FrameLimits.handshakeMilliseconds` if nothing else
/// is; for a worker that boots and a client that connects, their settings), and ``SessionState`` ends it.
///
/// - `idle`: nothing was sent or received.
/// - `waitingForWelcome`: the initiator said hello.
/// - `waitingForHello`: the acceptor waits.
/// - `done`: both sides know each other.
/// - `ended`: one side refused, or something else came first.
package struct Handshake: Sendable {
    package enum Side: Sendable {
        case initiator(Hello)
        case acceptor(Acceptance)

        package var place: SessionSide {
            if case .initiator = self { .initiator } else { .acceptor }
        }
    }

    /// Who the other side is.
    package struct Peer: Sendable, Equatable {
        package let version: UInt16
        package let role: Role
        /// Of a worker that said hello; 0 for others.
        package let incarnation: UInt64
        package let processID: UInt32
        /// Tells a client that connects again from a new one; empty for others.
        package let identity: [UInt8]
        /// Names what the side that was connected to remembers; empty for who connected.
        package let memory: [UInt8]
        /// Names the process that was connected to; 0 for who connected.
        package let life: UInt64
        package let features: [FeatureAdvertisement]
        /// Names what a worker runs; nil if it does not say, and for others.
        package let build: [UInt8]?
        /// Names its node; nil if it takes no calls.
        package let node: [UInt8]?
    }

    /// What to do after a message.
    package enum Step: Sendable {
        /// Send this, then the session is open.
        case accept(Welcome, Peer)
        /// The session is open.
        case opened(Peer)
        /// Send this, then end.
        case refuse(Refuse)
    }

    private enum State: Sendable { case idle, waitingForWelcome(Hello), waitingForHello(Acceptance), done, ended }

    private var state: State = .idle
    private let side: Side

    package init(_ side: Side) {
        self.side = side
    }

    package var isDone: Bool {
        if case .done = state { true } else { false }
    }

    /// Begins. An initiator sends what this returns.
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

    /// A message came before the session was open.
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
                memory: [],
                life: 0,
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
                memory: welcome.memory,
                life: welcome.life,
                features: welcome.features,
                build: nil,
                node: welcome.node
            )
        )
    }
}
