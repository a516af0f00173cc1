import Testing

@testable import LatticeTransport

struct PeerTests {
    @Test(arguments: [(0, false), (1, true), (255, true), (256, false)])
    func aPrincipalHasABoundedName(bytes: Int, isValid: Bool) {
        #expect((Peer.Principal(String(repeating: "p", count: bytes)) != nil) == isValid)
    }

    @Test func bytesCountNotCharacters() {
        #expect(Peer.Principal(String(repeating: "é", count: 127)) != nil)
        #expect(Peer.Principal(String(repeating: "é", count: 128)) == nil)
    }

    @Test func onlyTheSameUserAndRootMayTalk() throws {
        let relayed = Peer.relayed(try #require(Peer.Principal("root")))
        let user = Peer.Credentials.current.userID
        #expect(Self.local(user).mayTalk(to: user))
        #expect(Self.local(0).mayTalk(to: user))
        #expect(!Self.local(user &+ 1).mayTalk(to: user))
        #expect(!relayed.mayTalk(to: user))
        #expect(!Peer.unknown.mayTalk(to: user))
        #expect(Self.local(user).userID == user)
        #expect(relayed.userID == nil)
    }

    private static func local(_ user: UInt32) -> Peer {
        .local(Peer.Credentials(processID: 1, userID: user, groupID: 1))
    }
}
