import Testing

@testable import LatticeCore

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

    /// The text is made anew, so that its bits differ.
    private func make(_ text: String, of owner: Owner?) -> Owned {
        Owned(owner: owner, text: String(repeating: text, count: 40))
    }

    @Test("Values with a weak part hold the same if they have the same object and text") func weakParts() {
        let (owner, other) = (Owner(), Owner())
        withExtendedLifetime((owner, other)) {
            #expect(hasSameContent(make("a", of: owner), make("a", of: owner)))
            #expect(hasSameContent(make("a", of: nil), make("a", of: nil)))
            #expect(!hasSameContent(make("a", of: owner), make("b", of: owner)))
            #expect(!hasSameContent(make("a", of: owner), make("a", of: other)))
            #expect(!hasSameContent(make("a", of: owner), make("a", of: nil)))
        }
    }

    @Test("Only what is stored as its type says is a strong property") func strength() {
        #expect(StoredProperties(of: Owned.self).map { $0.isStrong } == [false, true])
    }
}
