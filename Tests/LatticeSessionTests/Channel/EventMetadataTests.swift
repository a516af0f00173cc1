import LatticeSession
import LatticeWire
import Testing

/// Tests what a coordinator takes over from an event of a client.
@Suite struct EventMetadataTests {
    private static let event = WireEventName(
        sender: [UInt8](repeating: 1, count: 16),
        channel: 1,
        feature: "journal",
        instance: "",
        number: 3
    )

    struct Row: Sendable {
        let event: WireEventName?
        let recovery: UInt64?
        let received: EventMetadata.Cause?
        let ofClient: EventMetadata.Cause?
    }

    static let table = [
        Row(event: nil, recovery: nil, received: nil, ofClient: nil),
        Row(event: event, recovery: nil, received: .event(event), ofClient: .event(event)),
        Row(event: nil, recovery: 2, received: .recovery(2), ofClient: nil),
        Row(event: event, recovery: 2, received: .recovery(2, stated: event), ofClient: .event(event)),
    ]

    @Test("A client cannot recover a feature, and the event that it states is passed on", arguments: table)
    func ofClient(row: Row) {
        var context = TravelContext(leftMilliseconds: nil)
        context.trace = ["k=v"]
        context.event = row.event
        context.recovery = row.recovery
        let metadata = EventMetadata(context)
        #expect(metadata.cause == row.received)
        #expect(metadata.ofClient.cause == row.ofClient)
        #expect(metadata.ofClient.trace == ["k=v"])
        #expect(metadata.ofClient.context?.recovery == nil)
        #expect(metadata.ofClient.context?.event == row.event)
    }
}
