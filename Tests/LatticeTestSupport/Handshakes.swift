package import LatticeCore
package import LatticeSession
package import LatticeWire

/// Handshake messages with default values for tests.
package enum Handshakes {
    /// The token that ``hello(versions:role:incarnation:token:identity:features:build:)`` sends by default.
    package static let token: [UInt8] = [1, 2, 3]

    /// Returns a hello of a worker, or of another role.
    package static func hello(
        versions: ClosedRange<UInt16> = 1...1,
        role: Role = .worker,
        incarnation: UInt64 = 1,
        token: [UInt8] = token,
        identity: [UInt8] = [],
        features: [FeatureAdvertisement] = [],
        build: [UInt8]? = nil
    ) -> Hello {
        Hello(
            versions: versions,
            role: role,
            incarnation: incarnation,
            token: token,
            identity: identity,
            processID: 7,
            features: features,
            build: build
        )
    }

    /// Returns a welcome of a coordinator.
    package static func welcome(version: UInt16 = 1) -> Welcome {
        Welcome(
            version: version,
            role: .coordinator,
            coordinatorID: 1,
            processID: 1,
            features: [],
            storeID: [UInt8](repeating: 7, count: 16)
        )
    }

    /// Returns the acceptance rules of a coordinator.
    package static func acceptance(
        versions: ClosedRange<UInt16> = 1...1,
        roles: Set<Role> = [.worker],
        token: [UInt8]? = token,
        expectedIncarnation: UInt64? = nil,
        expectedBuild: ExpectedBuild = .first,
        requiredFeatures: [FeatureAdvertisement] = [],
        busyReason: String? = nil,
        storeID: EventSender = .random(),
        coordinatorID: UInt64 = 1
    ) -> Handshake.Acceptance {
        var acceptance = Handshake.Acceptance(
            Welcome(
                role: .coordinator,
                coordinatorID: coordinatorID,
                processID: 8,
                features: [],
                storeID: storeID.bytes
            ),
            of: roles
        )
        acceptance.token = token
        acceptance.versions = versions
        acceptance.expectedIncarnation = expectedIncarnation
        acceptance.expectedBuild = expectedBuild
        acceptance.requiredFeatures = requiredFeatures
        acceptance.busyReason = { _ in busyReason }
        return acceptance
    }
}
