package import LatticeWire

extension Handshake {
    /// What an acceptor wants of the other side, and what it says of itself.
    package struct Acceptance: Sendable {
        /// What the other side is told that is taken in; the version is the highest that both speak.
        package let welcome: Welcome
        package var versions: ClosedRange<UInt16> = WireVersion.supported
        /// The roles that may connect here.
        package let allowedRoles: Set<Role>
        /// What the other side has to show; nil where the kernel vouches for it.
        package var token: [UInt8]?
        /// Which life of the other side is expected; nil where it has none.
        package var expectedIncarnation: UInt64?
        /// Of which build the other side has to be.
        package var expectedBuild = ExpectedBuild.first
        /// What the other side has to serve; it may serve more.
        package var requiredFeatures: [FeatureAdvertisement] = []
        /// Asked last, when nothing else speaks against the other side: why nobody is taken in at the moment. nil:
        /// somebody is. On the event loop.
        package var busyReason: @Sendable () -> String? = { nil }

        package init(_ welcome: Welcome, of roles: Set<Role>) {
            self.welcome = welcome
            allowedRoles = roles
        }
    }
}

extension Handshake.Acceptance {
    /// The highest version that both sides speak; nil: there is none.
    func version(sharedWith hello: Hello) -> UInt16? {
        let highest = min(hello.versions.upperBound, versions.upperBound)
        return highest >= max(hello.versions.lowerBound, versions.lowerBound) ? highest : nil
    }

    /// Why the sender of this is not taken in, in the order in which the protocol says it; nil: it is.
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
                "a \(hello.role) may not connect here; connect it to what serves a \(hello.role)"
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
                "the \(hello.role) says that it is incarnation \(hello.incarnation), and this is incarnation"
                    + " \(expectedIncarnation); it has to repeat the number that it was started with"
            )
        }
        // Before the features: another build may well have others.
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
        return busyReason().map { refuse(.busy, $0) }
    }

    private func refuse(_ code: RefusalCode, _ reason: String) -> Refuse {
        Refuse(code: code, reason: reason, versions: versions)
    }
}

extension ClosedRange<UInt16> {
    /// "1" or "1 to 3".
    fileprivate var spoken: String { lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)" }
}

extension [FeatureAdvertisement] {
    /// Each with what has to agree. Of many the first ones: a sentence has to hold them.
    fileprivate var spoken: String {
        let longest = 4
        let named = prefix(longest).map { "\"\($0.identifier)\" (schema \($0.schema), \($0.level) level)" }
        let more = count > longest ? " and \(count - longest) more" : ""
        return named.joined(separator: ", ") + more
    }
}

/// The build that a coordinator's workers have to be: another one would go on from the states of a program that it is
/// not.
///
/// - `first`: that of the first one that is taken in, after which it is `only`.
/// - `only`: this one. nil is a name like any other, that of workers that do not say which build they are.
package enum ExpectedBuild: Sendable, Equatable {
    case first
    case only([UInt8]?)

    /// A worker was taken in.
    package mutating func welcome(_ build: [UInt8]?) {
        if case .first = self { self = .only(build) }
    }

    /// Why the sender of this is not taken in; nil: it is.
    func refusal(of hello: Hello) -> String? {
        guard case .only(let build) = self, build != hello.build else { return nil }
        return "the \(hello.role) is of \(Self.spoken(hello.build)), and this coordinator works with"
            + " \(Self.spoken(build)); start the coordinator again to work with the other one"
    }

    /// "build 0a1b".
    package static func spoken(_ build: [UInt8]?) -> String {
        build.map { "build \($0.hexadecimal)" } ?? "an unnamed build"
    }
}
