import LatticeWire

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
