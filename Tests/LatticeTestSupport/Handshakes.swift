package import LatticeSession
package import LatticeWire

package enum Handshakes {
    package static let token: [UInt8] = [1, 2, 3]

    package static func hello(
        versions: ClosedRange<UInt16> = 1...1,
        role: Role = .worker,
        incarnation: UInt64 = 1,
        token: [UInt8] = token,
        identity: [UInt8] = []
    ) -> Hello {
        Hello(
            versions: versions,
            role: role,
            incarnation: incarnation,
            token: token,
            identity: identity,
            processID: 7,
            features: []
        )
    }

    package static func acceptance(
        versions: ClosedRange<UInt16> = 1...1,
        roles: Set<Role> = [.worker],
        token: [UInt8]? = token,
        incarnation: UInt64 = 1,
        busyReason: String? = nil
    ) -> Handshake.Acceptance {
        var acceptance = Handshake.Acceptance(
            role: .coordinator,
            allowedRoles: roles,
            token: token,
            incarnation: incarnation,
            processID: 8,
            features: []
        )
        acceptance.versions = versions
        acceptance.busyReason = busyReason
        return acceptance
    }
}
