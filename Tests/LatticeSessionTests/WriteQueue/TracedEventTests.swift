import LatticeSession
import LatticeWire
import Testing

@Suite struct TracedEventTests {
    /// A trace context can make an event larger than a frame although its action is not.
    @Test(arguments: [65_000, 65_280, 65_536], [0, 1, 16])
    func goesOutWhateverItsSize(action: Int, entries: Int) throws {
        var queue = WriteQueue()
        let trace = (0..<entries).map { "\($0)=" + String(repeating: "x", count: 1_000) }
        let context = TravelContext(leftMilliseconds: 5, trace: entries == 0 ? nil : trace)
        let message = EventMessage(event: 1, action: [UInt8](repeating: 0, count: action), context: context)
        queue.addEvent(message, on: 1)
        #expect(queue.count >= message.encoded.count)
    }
}
