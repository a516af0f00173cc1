import Foundation
import LatticeCore
import Testing

@Suite struct EventIDTests {
    private static let sender = EventSender([0] + (1...15))

    static func id(_ feature: String, _ instance: String, channel: UInt32 = 3, number: UInt64 = 17) throws -> EventID {
        let sender = try #require(sender)
        let origin = EventOrigin(sender: sender, channel: channel, feature: feature, instance: instance)
        return EventID(origin: origin, number: number)
    }

    @Test(
        arguments: [
            ("tally", "", "tally/000102030405060708090a0b0c0d0e0f/3/17"),
            ("tally", "42", "tally/42/000102030405060708090a0b0c0d0e0f/3/17"),
            ("a/b", "c d", "a%2Fb/c%20d/000102030405060708090a0b0c0d0e0f/3/17"),
            ("100%", "é~-._", "100%25/%C3%A9~-._/000102030405060708090a0b0c0d0e0f/3/17"),
            ("a", "\n", "a/%0A/000102030405060708090a0b0c0d0e0f/3/17"),
        ]
    )
    func anEventHasOneTextThatIsReadBack(feature: String, instance: String, text: String) throws {
        let id = try Self.id(feature, instance)
        #expect("\(id)" == text)
        let copy = try #require(EventID(text))
        #expect(copy == id)
        #expect(Set([id, copy]).count == 1)
        #expect(copy.feature == feature && copy.instance == instance && copy.channel == 3 && copy.number == 17)
        #expect(copy.sender == [0] + (1...15))
    }

    @Test(
        arguments: [
            "", "tally", "42", "/000102030405060708090a0b0c0d0e0f/3/17", "tally/000102030405060708090a0b0c0d0e0f/3",
            "tally/000102030405060708090a0b0c0d0e0f/3/017", "tally/000102030405060708090a0b0c0d0e0f/+3/17",
            "tally/000102030405060708090A0B0C0D0E0F/3/17", "tally/0102030405060708090a0b0c0d0e0f/3/17",
            "tally//000102030405060708090a0b0c0d0e0f/3/17", "tally/000102030405060708090a0b0c0d0e0f/3/-1",
            "tally/000102030405060708090a0b0c0d0e0f/4294967296/17", "ta%6Cly/000102030405060708090a0b0c0d0e0f/3/17",
            "a%2fb/000102030405060708090a0b0c0d0e0f/3/17", "a%/000102030405060708090a0b0c0d0e0f/3/17",
            "a%FF/000102030405060708090a0b0c0d0e0f/3/17", "a b/000102030405060708090a0b0c0d0e0f/3/17",
            "a/b/c/000102030405060708090a0b0c0d0e0f/3/17", "tally/000102030405060708090a0b0c0d0e0g/3/17",
            "a%+fb/000102030405060708090a0b0c0d0e0f/3/17",
        ]
    )
    func invalidTextsAreNotRead(text: String) {
        #expect(EventID(text) == nil)
    }

    @Test func anyIdentifierAndKeyComesBack() throws {
        var generator = SeededGenerator(seed: 21)
        let scalars: [Unicode.Scalar] = ["/", "%", " ", "a", "Z", "0", "é", "\u{1F600}", "\u{0}", "~", "2", "F"]
        for _ in 0..<500 {
            func text(_ count: ClosedRange<Int>) -> String {
                var text = ""
                for _ in 0..<Int.random(in: count, using: &generator) {
                    text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &generator)])
                }
                return text
            }
            let number = UInt64.random(in: 1 ... .max, using: &generator)
            let id = try Self.id(
                text(1...8),
                text(0...8),
                channel: .random(in: 1 ... .max, using: &generator),
                number: number
            )
            #expect(EventID(id.description) == id)
        }
    }

    @Test func itIsCodedAsItsText() throws {
        let id = try Self.id("tally", "42")
        let json = Data(#"["tally\/42\/000102030405060708090a0b0c0d0e0f\/3\/17"]"#.utf8)
        #expect(try JSONEncoder().encode([id]) == json)
        #expect(try JSONDecoder().decode([EventID].self, from: json) == [id])
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([EventID].self, from: Data(#"["42"]"#.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == "\"42\" is not the name of an event.")
    }

    @Test func eachPartDistinguishesEvents() throws {
        let other = try #require(EventSender([UInt8](repeating: 9, count: 16)))
        let ids = [
            try Self.id("tally", ""), try Self.id("tally", "", number: 18), try Self.id("tally", "", channel: 4),
            try Self.id("tally", "42"), try Self.id("count", ""),
            EventID(origin: EventOrigin(sender: other, channel: 3, feature: "tally", instance: ""), number: 17),
        ]
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids.map(\.description)).count == ids.count)
    }

    @Test func aSenderIsSixteenBytes() {
        #expect(EventSender([UInt8](0..<15)) == nil)
        #expect(EventSender([UInt8](0..<17)) == nil)
        #expect(EventSender([]) == nil)
        #expect(EventSender([UInt8](repeating: 0xff, count: 16))?.description == String(repeating: "f", count: 32))
        #expect(EventSender.random() != EventSender.random())
    }
}
