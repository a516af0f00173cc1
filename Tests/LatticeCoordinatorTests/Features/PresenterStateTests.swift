import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// Tests when a feature gets a second chance to handle an interruption.
struct PresenterStateTests {
    private static func interruption(_ names: String..., incarnation: UInt64 = 1) -> Interruption {
        Interruption(
            cause: .signal(9),
            incarnation: incarnation,
            effects: names.map { InterruptedEffect(name: $0, deaths: 1) }
        )
    }

    /// A state whose changes can be expected directly.
    private final class Subject {
        var state = PresenterState()

        func serve(_ incarnation: UInt64?) {
            let serving = incarnation.map { HostStatus.serving(.init(incarnation: $0, processID: 1)) }
            let status = HostStatusMessage(serving ?? .failed(HostFailure(reason: "given up")))
            _ = state.status.note([.host(ChannelUpdate.HostReport(status: status, coordinator: nil))])
        }

        func reject(_ interruption: Interruption, _ rejection: EventRejection, sentTo receiver: UInt64?) -> Bool {
            state.recoveryWasRejected(interruption, rejection, sentTo: receiver)
        }

        func take() -> Interruption? { state.takeUnanswered() }
    }

    @Test("An action that no queue had room for is tried again with the next delivery, and not before")
    func overloaded() {
        let subject = Subject()
        subject.serve(2)
        let interruption = Self.interruption("a")
        #expect(!subject.reject(interruption, .overloaded, sentTo: 2))
        #expect(subject.take() == interruption)
        #expect(subject.take() == nil)
    }

    @Test(
        "An action that a worker rejects is tried again with another one only",
        arguments: [EventRejection.closed, .tooLarge, .undecodable, .schema, .deadlinePassed]
    )
    func rejected(_ rejection: EventRejection) {
        let subject = Subject()
        subject.serve(2)
        let interruption = Self.interruption("a")
        #expect(!subject.reject(interruption, rejection, sentTo: 2))
        #expect(subject.take() == nil)
        subject.serve(nil)
        #expect(subject.take() == nil)
        subject.serve(2)
        #expect(subject.take() == nil)
        subject.serve(3)
        #expect(subject.take() == interruption)
        #expect(subject.take() == nil)
    }

    @Test("An action whose rejection arrives when another worker serves already is tried again at once")
    func rejectedLate() {
        let subject = Subject()
        subject.serve(3)
        #expect(subject.reject(Self.interruption("a"), .closed, sentTo: 2))
        #expect(subject.take() == Self.interruption("a"))
    }

    @Test("An action that was sent while no worker served is tried again with the next one")
    func sentToNone() {
        let subject = Subject()
        subject.serve(nil)
        #expect(subject.state.incarnation == nil)
        #expect(!subject.reject(Self.interruption("a"), .closed, sentTo: nil))
        subject.serve(2)
        #expect(subject.state.incarnation == 2)
        #expect(subject.take() == Self.interruption("a"))
    }

    @Test("An action that was quarantined is not tried again")
    func quarantined() {
        let subject = Subject()
        subject.serve(2)
        #expect(!subject.reject(Self.interruption("a"), .quarantined, sentTo: 2))
        subject.serve(3)
        #expect(subject.take() == nil)
    }

    @Test("Interruptions that wait are merged, with the newest cause and every effect once")
    func merged() {
        let subject = Subject()
        subject.state.leaveUntilConnected(Self.interruption("a", "b"))
        subject.state.leaveUntilConnected(Self.interruption("b", "c", incarnation: 2))
        #expect(subject.take() == nil)
        subject.serve(3)
        let merged = subject.take()
        #expect(merged?.incarnation == 2)
        #expect(merged?.effects.map(\.name) == ["a", "b", "c"])
    }
}
