import Distributed
import LatticeConcurrency

/// A cache of the names by which this process calls methods. The keys are the compiler's mangled names.
final class StableNames: Sendable {
    private struct Use: Hashable {
        let actor: ObjectIdentifier
        let types: CallTypes
        let method: String

        // A long name is not hashed. Comparing it is one step if both are the same constant, which is the usual case.
        func hash(into hasher: inout Hasher) {
            hasher.combine(UInt(bitPattern: actor) ^ UInt(truncatingIfNeeded: types.value) ^ UInt(method.utf8.count))
        }
    }

    /// The maximum number of names, enough for a large program. When it is reached, the cache is emptied.
    private static let maximumKnown = 4_096

    /// The end of the mangled name of a method without generic parameters of its own: an asynchronous, throwing
    /// function with a distributed thunk.
    private static let endOfPlainMethod = "YaKFTE"

    private struct Known {
        var names: [Use: String] = [:]
        /// The name of the last request, which is likely the next one as well.
        var recent: (use: Use, name: String)?

        mutating func name(_ use: Use) -> String? {
            if let recent, recent.use == use { return recent.name }
            guard let name = names[use] else { return nil }
            recent = (use, name)
            return name
        }
    }

    private let known = Locked(Known())

    /// Returns whether the name of a method is a mangled one.
    static func isMangled(_ method: String) -> Bool { method.utf8.starts(with: MangledName.methodPrefix.utf8) }

    /// Returns the method's name for a call: the stable name if the type has one, and otherwise the mangled name.
    func method(_ target: RemoteCallTarget, _ call: CallEncoder, of type: any DistributedActor.Type) -> String {
        let use = Use(actor: ObjectIdentifier(type), types: call.types, method: target.identifier)
        if let name = known.withLock({ $0.name(use) }) { return name }
        // No table contains generic methods. Methods of a generic type can be in a table, and have the type's
        // arguments.
        let isPlain = call.substitutions.isEmpty || target.identifier.hasSuffix(Self.endOfPlainMethod)
        let name = isPlain ? StableTable.of(type)?.name(of: target, call.types) : nil
        let method = name ?? target.identifier
        known.withLock { known in
            if known.names.count >= Self.maximumKnown { known.names = [:] }
            known.names[use] = method
        }
        return method
    }
}
