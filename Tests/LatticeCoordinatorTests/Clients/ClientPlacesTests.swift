import Testing

@testable import LatticeCoordinator

/// Places that may be changed inside an expectation.
private final class Places {
    private var places: ClientPlaces<Int>

    init(maximumClients: Int) {
        places = ClientPlaces(maximumClients: maximumClients)
    }

    var clientCount: Int { places.clientCount }
    var silentCount: Int { places.silentCount }

    func connected(_ id: Int, of process: Int32?) -> Int? { places.connected(id, of: process) }
    func saidHello(_ id: Int) -> Bool { places.saidHello(id) }
    func left(_ id: Int) { places.left(id) }
}

struct ClientPlacesTests {
    /// The maximum of clients. Connections without a hello have 64 more places.
    private static let maximumClients = 2

    @Test func withRoomNoClientLeaves() {
        let places = Places(maximumClients: Self.maximumClients)
        let leaving = (0..<66).compactMap { places.connected($0, of: 1) }
        #expect(leaving.isEmpty)
        #expect(places.silentCount == 66)
    }

    @Test func theOldestWithoutAHelloLeavesForTheNewest() {
        let places = Places(maximumClients: Self.maximumClients)
        let leaving = (0..<1_000).compactMap { places.connected($0, of: Int32($0)) }
        #expect(leaving == Array(0..<934))
        #expect(places.silentCount == 66)
    }

    @Test func clientsThatSaidHelloStay() {
        let places = Places(maximumClients: Self.maximumClients)
        #expect(places.connected(0, of: 1) == nil)
        #expect(places.saidHello(0))
        let leaving = (1..<1_000).compactMap { places.connected($0, of: 1) }
        #expect(!leaving.contains(0))
        #expect(places.clientCount == 1)
        #expect(places.silentCount == 65)
        // The newest says hello and has its place, whatever the others do.
        #expect(places.saidHello(999))
    }

    @Test func theOldestOfTheProcessWithTheMostClientsLeaves() {
        let places = Places(maximumClients: Self.maximumClients)
        #expect(places.connected(0, of: 7) == nil)
        let leaving = (1..<200).compactMap { places.connected($0, of: 8) }
        #expect(leaving == Array(1..<135))
        #expect(places.saidHello(0))
    }

    @Test func aClientTooManyHasNoPlaceUntilAnotherLeaves() {
        let places = Places(maximumClients: Self.maximumClients)
        for id in 0..<3 { _ = places.connected(id, of: 1) }
        #expect(places.saidHello(0))
        #expect(places.saidHello(1))
        #expect(!places.saidHello(2))
        places.left(0)
        places.left(2)
        #expect(places.clientCount == 1)
        #expect(places.silentCount == 0)
        #expect(places.connected(3, of: nil) == nil)
        #expect(places.saidHello(3))
        // It left before its hello was read.
        #expect(!places.saidHello(2))
    }
}
