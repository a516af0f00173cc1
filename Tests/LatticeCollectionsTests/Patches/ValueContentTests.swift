import Testing

@testable import LatticeCollections

@Suite struct ValueContentTests {
    private final class Owner: Sendable {}

    private struct Owned: Codable, Equatable {
        weak var owner: Owner?
        var text: String

        enum CodingKeys: String, CodingKey {
            case text
        }

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.text == rhs.text }
    }

    /// Creates a value with a new text, so that its bits differ.
    private func make(_ text: String, of owner: Owner?) -> Owned {
        Owned(owner: owner, text: String(repeating: text, count: 40))
    }

    @Test("Values with a weak part have the same content if their objects and texts are the same") func weakParts() {
        let (owner, other) = (Owner(), Owner())
        withExtendedLifetime((owner, other)) {
            #expect(hasSameContent(make("a", of: owner), make("a", of: owner)))
            #expect(hasSameContent(make("a", of: nil), make("a", of: nil)))
            #expect(!hasSameContent(make("a", of: owner), make("b", of: owner)))
            #expect(!hasSameContent(make("a", of: owner), make("a", of: other)))
            #expect(!hasSameContent(make("a", of: owner), make("a", of: nil)))
        }
    }

    @Test("A stored property is strong only if its storage is the value itself") func strength() {
        #expect(StoredProperties(of: Owned.self).map { $0.isStrong } == [false, true])
    }
}
