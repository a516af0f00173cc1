import LatticeCore
import Testing

@testable import LatticeCoordinator

/// Tests the limits of instances.
struct InstanceQuotaTests {
    private let first = EventSender(1)
    private let second = EventSender(2)

    private func key(_ instance: Int) -> FeatureRegistry.Key {
        FeatureRegistry.Key(feature: "a", instance: "\(instance)")
    }

    @Test("Each client has a maximum of instances, and all clients and the program together have another")
    func shares() throws {
        var quota = InstanceQuota(maximum: 5, maximumPerClient: 2)
        try quota.add(key(1), for: first)
        try quota.add(key(2), for: first)
        #expect(throws: CoordinatorError.tooManyOfClient(2)) { try quota.add(key(3), for: first) }
        try quota.add(key(3), for: second)
        try quota.add(key(4), for: nil)
        try quota.add(key(5), for: nil)
        for client in [first, second, nil] {
            #expect(throws: CoordinatorError.tooMany(5)) { try quota.add(key(6), for: client) }
        }
    }

    @Test("A removed instance no longer counts, whichever client it was created for")
    func goneInstances() throws {
        var quota = InstanceQuota(maximum: 3, maximumPerClient: 1)
        try quota.add(key(1), for: first)
        try quota.add(key(2), for: nil)
        quota.remove(key(2))
        #expect(throws: CoordinatorError.tooManyOfClient(1)) { try quota.add(key(3), for: first) }
        quota.remove(key(1))
        try quota.add(key(3), for: first)
        try quota.add(key(4), for: second)
        try quota.add(key(5), for: nil)
        #expect(throws: CoordinatorError.tooMany(3)) { try quota.add(key(6), for: nil) }
    }
}
