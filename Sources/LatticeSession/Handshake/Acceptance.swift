import LatticeCoding
package import LatticeWire

extension Handshake {
    /// The conditions under which an acceptor takes in the other side, and what it sends about itself.
    package struct Acceptance: Sendable {
        /// The answer to a side that is taken in. Its version is replaced by the highest one that both sides speak.
        package let welcome: Welcome
        /// The protocol versions that this side speaks.
        package var versions: ClosedRange<UInt16> = WireVersion.supported
        /// The roles that may connect here.
        package let allowedRoles: Set<Role>
        /// The token that the other side must send, or `nil` if the kernel vouches for the other side.
        package var token: [UInt8]?
        /// The incarnation that the other side must have, or `nil` if it has none.
        package var expectedIncarnation: UInt64?
        /// The build that the other side must have.
        package var expectedBuild = ExpectedBuild.first
        /// The features that the other side must serve. It may serve more.
        package var requiredFeatures: [FeatureAdvertisement] = []
        /// Returns the reason why no process of a role is taken in at the moment, or `nil` to take the other side in.
        /// It is called last, on the event loop, after all other conditions are met.
        package var busyReason: @Sendable (Role) -> String? = { _ in nil }

        /// Creates the conditions for processes with the given roles.
        package init(_ welcome: Welcome, of roles: Set<Role>) {
            self.welcome = welcome
            allowedRoles = roles
        }
    }
}

extension Handshake.Acceptance {
    /// Returns the highest version that both sides speak, or `nil` if there is none.
    func version(sharedWith hello: Hello) -> UInt16? {
        let highest = min(hello.versions.upperBound, versions.upperBound)
        return highest >= max(hello.versions.lowerBound, versions.lowerBound) ? highest : nil
    }

    /// Returns the refusal for the sender of a `hello`, or `nil` if the sender is taken in. The conditions are checked
    /// in the order that the protocol gives.
    func refusal(of hello: Hello) -> Refuse? {
        guard version(sharedWith: hello) != nil else {
            return refuse(
                .version,
                "this side speaks protocol version \(versions.spoken), the other \(hello.versions.spoken); update the"
                    + " older program"
            )
        }
        guard allowedRoles.contains(hello.role) else {
            return refuse(
                .role,
                "a \(hello.role) may not connect here; connect it to a process that accepts a \(hello.role)"
            )
        }
        if let token, token != hello.token {
            return refuse(
                .token,
                "the token is not the one that this worker was given; start workers through a coordinator"
            )
        }
        if let expectedIncarnation, expectedIncarnation != hello.incarnation {
            return refuse(
                .incarnation,
                "the \(hello.role) says that it is incarnation \(hello.incarnation), but it was started as incarnation"
                    + " \(expectedIncarnation); it must repeat the number with which it was started"
            )
        }
        // The build is checked before the features, because another build may well have other features.
        if let reason = expectedBuild.refusal(of: hello) { return refuse(.build, reason) }
        let missing = requiredFeatures.filter { !hello.features.contains($0) }
        guard missing.isEmpty else {
            let served = hello.features.isEmpty ? "nothing" : hello.features.spoken
            return refuse(
                .features,
                "the \(hello.role) does not serve \(missing.spoken); it serves \(served); build both programs from the"
                    + " same source"
            )
        }
        return busyReason(hello.role).map { refuse(.busy, $0) }
    }

    private func refuse(_ code: RefusalCode, _ reason: String) -> Refuse {
        Refuse(code: code, reason: reason, versions: versions)
    }
}

extension ClosedRange<UInt16> {
    /// The range in words, such as "1" or "1 to 3".
    fileprivate var spoken: String { lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)" }
}

extension [FeatureAdvertisement] {
    /// The features with the properties that both sides must agree on. A long list is cut, because the text is part of
    /// a sentence.
    fileprivate var spoken: String {
        let longest = 4
        let named = prefix(longest).map { "\"\($0.identifier)\" (schema \($0.schema), \($0.level) level)" }
        let more = count > longest ? " and \(count - longest) more" : ""
        return named.joined(separator: ", ") + more
    }
}

/// The build that the workers of a coordinator must have. A worker of another build would continue from the states of a
/// different program.
package enum ExpectedBuild: Sendable, Equatable {
    /// The build of the first worker that is taken in. The value then becomes `only`.
    case first
    /// This build. `nil` is a build like any other: the one of workers that do not name theirs.
    case only([UInt8]?)

    /// Records that a worker with this build was taken in.
    package mutating func welcome(_ build: [UInt8]?) {
        if case .first = self { self = .only(build) }
    }

    /// Returns the reason for refusing the sender of a `hello`, or `nil` if the build is accepted.
    func refusal(of hello: Hello) -> String? {
        guard case .only(let build) = self, build != hello.build else { return nil }
        return "the \(hello.role) is of \(Self.spoken(hello.build)), and this coordinator works with"
            + " \(Self.spoken(build)); restart the coordinator to use the new build of the \(hello.role)"
    }

    /// Returns the build in words, such as "build 0a1b".
    package static func spoken(_ build: [UInt8]?) -> String {
        build.map { "build \($0.hexadecimal)" } ?? "an unnamed build"
    }
}
