import LatticeCore
import LatticeHosting
import Testing

@testable import LatticeCoordinator

/// Tests who is there, and when a feature is informed.
@Suite struct PresenceStateTests {
    private typealias Output = PresenceState.Output

    private let anna = client(1, 71)
    private let ben = client(2, 73)

    private static func client(_ sender: UInt128, _ process: Int32, connection: UInt64 = 1) -> OpeningClient {
        .sample(EventSender(sender), connection: connection, processID: process)
    }

    private func report(_ clients: [OpeningClient], _ changes: Presence.Change...) -> Output {
        .report(Presence(clients: clients.map(\.described), changes: changes))
    }

    @Test("The first change is reported at once, and those that follow soon together")
    func pace() {
        var state = PresenceState()
        #expect(
            state.joined(anna)
                == [report([anna], .joined(anna.described)), .wait(milliseconds: PresenceState.pace, timer: 1)]
        )
        #expect(state.joined(ben).isEmpty)
        #expect(state.left(anna, isLost: true).isEmpty)
        #expect(
            state.timerFired(1) == [
                report([ben], .joined(ben.described), .lost(anna.described)),
                .wait(milliseconds: PresenceState.pace, timer: 2),
            ]
        )
        #expect(state.timerFired(1).isEmpty, "an old timer")
        #expect(state.timerFired(2).isEmpty, "nothing has changed")
        #expect(
            state.left(ben, isLost: false)
                == [report([], .left(ben.described)), .wait(milliseconds: PresenceState.pace, timer: 3)]
        )
    }

    @Test("A client with several channels and connections joins once and leaves once")
    func once() {
        var state = PresenceState()
        let again = Self.client(1, 71, connection: 2)
        #expect(!state.joined(anna).isEmpty)
        #expect(state.timerFired(1).isEmpty)
        for next in [anna, again] { #expect(state.joined(next).isEmpty) }
        // The end of the old connection is noticed after the beginning of the new one.
        for next in [anna, anna, anna] { #expect(state.left(next, isLost: true).isEmpty) }
        #expect(state.left(again, isLost: false).first == report([], .left(anna.described)))
        #expect(state.left(again, isLost: false).isEmpty)
    }

    @Test("Another process under the same identity takes the place of the first, whose end is then ignored")
    func replaced() {
        var state = PresenceState()
        _ = state.joined(anna)
        _ = state.timerFired(1)
        let other = Self.client(1, 72, connection: 2)
        #expect(
            state.joined(other).first == report([other], .lost(anna.described), .joined(other.described))
        )
        #expect(state.left(anna, isLost: true).isEmpty)
        #expect(state.timerFired(2).isEmpty)
        #expect(state.left(other, isLost: true).first == report([], .lost(other.described)))
    }

    @Test("A rejected report is made again after a second, before what followed")
    func rejected() throws {
        var state = PresenceState()
        guard case .report(let presence) = try #require(state.joined(anna).first) else { return }
        #expect(state.joined(ben).isEmpty)
        #expect(state.rejected(presence) == [.wait(milliseconds: PresenceState.retryDelay, timer: 2)])
        #expect(state.timerFired(1).isEmpty, "the rejection replaces the timer of the report")
        #expect(state.timerFired(2).first == report([anna, ben], .joined(anna.described), .joined(ben.described)))
    }

    @Test("Too many changes that the worker does not accept are dropped, and the list of clients stays complete")
    func bounded() throws {
        var state = PresenceState()
        _ = state.joined(anna)
        for _ in 0..<Presence.maximumChanges {
            #expect(state.joined(ben).isEmpty)
            #expect(state.left(ben, isLost: false).isEmpty)
        }
        guard case .report(let presence) = try #require(state.timerFired(1).first) else { return }
        #expect(presence.changes.count == Presence.maximumChanges)
        #expect(presence.changes.last == .left(ben.described))
        #expect(presence.clients == [anna.described])
        // A report that is rejected has a place only as far as there is room.
        _ = state.rejected(presence)
        _ = state.joined(ben)
        guard case .report(let again) = try #require(state.timerFired(3).first) else { return }
        #expect(again.changes.count == Presence.maximumChanges && again.changes.last == .joined(ben.described))
    }

    @Test("A closed instance reports nothing")
    func ended() throws {
        var state = PresenceState()
        guard case .report(let presence) = try #require(state.joined(anna).first) else { return }
        state.end()
        #expect(state.left(anna, isLost: false).isEmpty && state.timerFired(1).isEmpty)
        #expect(state.rejected(presence).isEmpty)
    }
}
