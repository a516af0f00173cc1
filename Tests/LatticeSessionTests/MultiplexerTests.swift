import LatticeWire
import Testing

@testable import LatticeSession

struct MultiplexerTests {
    private final class Channel: SessionChannel {
        func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) {}
    }

    @Test func bothSidesHaveChannelsOfTheirOwn() {
        var multiplexer = Multiplexer()
        let (odd, even) = (Channel(), Channel())
        multiplexer.attach(odd, as: 1)
        multiplexer.attach(even, as: 2)
        for _ in 0..<2 {
            #expect(multiplexer.channel(for: 1) === odd)
            #expect(multiplexer.channel(for: 2) === even)
        }
        #expect(multiplexer.channel(for: 3) == nil)
        #expect(multiplexer.removeAll().count == 2)
        #expect(multiplexer.channel(for: 1) == nil)
    }

    @Test func aDetachedChannelGetsNothing() {
        var multiplexer = Multiplexer()
        let (first, second) = (Channel(), Channel())
        multiplexer.attach(first, as: 1)
        #expect(multiplexer.channel(for: 1) === first)
        multiplexer.detach(1)
        #expect(multiplexer.channel(for: 1) == nil)
        multiplexer.attach(second, as: 1)
        #expect(multiplexer.channel(for: 1) === second)
    }

    @Test(arguments: [(1, true), (2, false), (3, true), (4, false), (5, true), (7, false)] as [(UInt32, Bool)])
    func openedChannelsAreKnownByTheHighestNumberOfEachSide(number: UInt32, wasOpened: Bool) {
        var multiplexer = Multiplexer()
        multiplexer.opened(1)
        multiplexer.opened(5)
        #expect(multiplexer.wasOpened(number) == wasOpened)
    }
}
