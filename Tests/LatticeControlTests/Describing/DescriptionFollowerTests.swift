import LatticeWire
import Testing

@testable import LatticeControl

/// The page of a subscription, with messages that no coordinator of this version sends.
struct DescriptionFollowerTests {
    /// An encoded row: a map with the key "a", whose value is a text of 100,000 bytes.
    private static let row: [UInt8] =
        [0xa1, 0x61, 0x61, 0x7a, 0x00, 0x01, 0x86, 0xa0] + [UInt8](repeating: 0x78, count: 100_000)

    /// Returns a message whose page has rows of the page before, and then a new one if there is one.
    private func message(_ update: UInt64, keeping kept: [Int], sendsRow: Bool) -> DescriptionMessage {
        var places = RowPlaces()
        for place in kept { places.keep(place) }
        if sendsRow { places.send() }
        var message = DescriptionMessage(
            request: 1,
            total: UInt64(kept.count),
            shown: sendsRow ? 1 : 0,
            rows: sendsRow ? [0x81] + Self.row : [0x80]
        )
        message.update = update
        message.places = update == 1 ? nil : places.bytes
        return message
    }

    @Test("A message that keeps one row many times makes no page of any size")
    func sameRow() throws {
        var follower = DescriptionFollower("x", offset: 0)
        _ = try follower.receive(message(1, keeping: [], sendsRow: true), at: .now)
        var other = follower
        let most = message(2, keeping: [Int](repeating: 0, count: 10), sendsRow: false)
        let page = try other.receive(most, at: .now)
        #expect(page.rows.count == 10)
        let tooMany = message(2, keeping: [Int](repeating: 0, count: 11), sendsRow: false)
        let error = #expect(throws: ControlError.self) { try follower.receive(tooMany, at: .now) }
        #expect(error?.code == .unreadable)
    }

    @Test("Messages that keep all rows and add one make no page of any size")
    func moreRows() throws {
        var follower = DescriptionFollower("x", offset: 0)
        for count in 0..<10 {
            let more = message(UInt64(count + 1), keeping: Array(0..<count), sendsRow: true)
            let page = try follower.receive(more, at: .now)
            #expect(page.rows.count == count + 1)
        }
        let tooMany = message(11, keeping: Array(0..<10), sendsRow: true)
        #expect(throws: ControlError.self) { try follower.receive(tooMany, at: .now) }
    }

    @Test("The number of intervals without a page has a maximum, also if the program takes no page")
    func folded() async throws {
        let subscriber = DescriptionSubscriber("x", offset: 0)
        for update in 1...3 {
            var message = DescriptionMessage(request: 1, total: 0, shown: 0, rows: [0x80])
            message.update = UInt64(update)
            message.folded = MessageLimits.maximumGrowing
            #expect(!subscriber.receive(message))
        }
        guard case .page(let page)? = try await subscriber.next(within: .seconds(60)) else {
            Issue.record("There is no page.")
            return
        }
        #expect(page.folded == DescriptionFollower.maximumFolded)
    }
}
