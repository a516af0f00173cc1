import LatticeCore
import Testing

@testable import LatticeCoordinator

/// How many instances there may be.
struct InstanceQuotaTests {
    private let first = EventSender(1)
    private let second = EventSender(2)

    private func key(_ instance: Int) -> FeatureRegistry.Key {
        FeatureRegistry.Key(feature: "a", instance: "\(instance)")
    }

    @Test("each client has a share of its own, and all together, with the program, have the whole")
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

    @Test("what is gone counts no more, for whom it was made")
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

    @Test("who has too many is told what to do")
    func sentences() {
        #expect(
            CoordinatorError.tooMany(3).message
                == "there are 3 feature instances, and no more are kept; close some, or allow more"
        )
        #expect(
            CoordinatorError.tooManyOfClient(1).message
                == "the coordinator makes no more than 1 feature instances for one client; use those that are there, or"
                + " have it close some"
        )
    }
}
