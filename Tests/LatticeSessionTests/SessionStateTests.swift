import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeSession

struct SessionStateTests {
    /// The phase of a session in a test, and the steps that lead to it.
    enum Place: String, CaseIterable, Sendable {
        case handshaking, open, ending, aborted, left, closed

        func state(as side: Handshake.Side? = nil, now: ContinuousClock.Instant) -> SessionState {
            let side = side ?? .acceptor(Handshakes.acceptance())
            let limits = Liveness(interval: .seconds(1), timeout: .seconds(3), patience: .seconds(2))
            var state = SessionState(side, handshakeTimeout: .seconds(5), liveness: limits, now: now)
            _ = state.start()
            if self == .handshaking { return state }
            let hello = Handshakes.hello().encoded
            _ = try? hello.withUnsafeBytes { try state.shakeHands(.hello, $0, now: now) }
            switch self {
            case .handshaking, .open: break
            case .ending: _ = state.end(Goodbye(code: .normal, reason: ""))
            case .aborted: _ = state.abort(.busy("first"))
            case .left: state.receive(Goodbye(code: .shuttingDown, reason: "night"))
            case .closed: _ = state.close(nil)
            }
            return state
        }
    }

    private let now = ContinuousClock.now

    @Test(arguments: zip(Place.allCases, ["handshake", "messages", "messages", "nothing", "nothing", "nothing"]))
    func acceptedMessagesDependOnTheState(place: Place, heard: String) {
        #expect("\(place.state(now: now).acceptedMessages)" == heard)
        #expect(place.state(now: now).isOpen == (place == .open))
    }

    @Test(arguments: zip(Place.allCases, ["nothing", "goodbye 0", "-", "-", "-", "-"]))
    func anEndInGoodOrder(place: Place, finalMessage: String) {
        var state = place.state(now: now)
        #expect(state.end(Goodbye(code: .normal, reason: "")).spoken == finalMessage)
        #expect(state.end(Goodbye(code: .normal, reason: "")).spoken == "-")
    }

    @Test(arguments: zip(Place.allCases, ["refusal 5", "goodbye 4", "-", "-", "-", "-"]))
    func aFault(place: Place, finalMessage: String) {
        var state = place.state(now: now)
        #expect(state.abort(.busy("full")).spoken == finalMessage)
        #expect(state.abort(.busy("again")).spoken == "-")
        #expect(state.acceptedMessages == .nothing)
    }

    @Test func anInitiatorBeforeItsWelcomeRefusesNothing() {
        var state = Place.handshaking.state(as: .initiator(Handshakes.hello()), now: now)
        #expect(state.abort(.busy("full")).spoken == "nothing")
    }

    @Test(arguments: zip(Place.allCases, ["lost", "lost", "lost", "first", "night", "lost"]))
    func theFirstReasonForTheEndCounts(place: Place, reason: String) {
        var state = place.state(now: now)
        _ = state.abort(.busy("lost"))
        if place == .closed {
            #expect(state.close(.busy("lost"))?.message == reason)
        } else {
            #expect(state.close(.busy("later"))?.message == reason)
        }
    }

    @Test(arguments: zip(Place.allCases, [5, 1, nil, nil, nil, nil] as [Int?]))
    func dueTimesDependOnTheState(place: Place, seconds: Int?) {
        #expect(place.state(now: now).due == seconds.map { now + .seconds($0) })
    }

    @Test func aHandshakeHasItsTime() {
        var state = Place.handshaking.state(now: now)
        #expect(state.tick(now: now + .seconds(4)).spoken == "nothing")
        #expect(state.tick(now: now + .seconds(5)).spoken == SessionError.handshakeTimeout(.seconds(5)).message)
    }

    @Test func aPeerThatAnswersIsAskedAgainAndASilentOneIsGivenUp() {
        var state = Place.open.state(now: now)
        #expect(state.tick(now: now + .seconds(1)).spoken == "ping 1")
        var wasLate = state.receive(pong: 1, now: now + .seconds(2))
        #expect(!wasLate)
        let expected = ["ping 2", "nothing", "late 2.0 seconds", "silent 3.0 seconds", "silent 4.0 seconds"]
        for (second, expected) in zip(2..., expected) {
            #expect(state.tick(now: now + .seconds(second)).spoken == expected)
        }
        wasLate = state.receive(pong: 2, now: now + .seconds(6))
        #expect(wasLate)
        #expect(state.tick(now: now + .seconds(6)).spoken == "ping 3")
    }

    @Test func nothingIsDueOnceItEnds() {
        for place in [Place.ending, .aborted, .left, .closed] {
            var state = place.state(now: now)
            #expect(state.tick(now: now + .seconds(99)).spoken == "nothing")
        }
    }
}

extension SessionState.FinalMessage? {
    fileprivate var spoken: String {
        switch self {
        case nil: "-"
        case .nothing: "nothing"
        case .goodbye(let goodbye): "goodbye \(goodbye.code.rawValue)"
        case .refusal(let refusal): "refusal \(refusal.code.rawValue)"
        }
    }
}

extension SessionState.TimeAction {
    fileprivate var spoken: String {
        switch self {
        case .nothing: "nothing"
        case .ping(let number): "ping \(number)"
        case .late(let silence): "late \(silence)"
        case .silent(let silence): "silent \(silence)"
        case .abort(let error): error.message
        }
    }
}
