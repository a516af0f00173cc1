import Distributed
import LatticeConcurrency

/// The names by which this process calls methods, by those of the compiler: found out once for each.
final class StableNames: Sendable {
    private struct Use: Hashable {
        let actor: ObjectIdentifier
        let types: CallTypes
        let method: String

        // A long name is compared, which takes one look where it is the same constant, and not hashed.
        func hash(into hasher: inout Hasher) {
            hasher.combine(UInt(bitPattern: actor) ^ UInt(truncatingIfNeeded: types.value) ^ UInt(method.utf8.count))
        }
    }

    /// As many as a large program has. Then it begins anew.
    private static let maximumKnown = 4_096

    /// How the compiler ends the name of a method that has no generic parameters of its own: an asynchronous function
    /// that throws, to be called from elsewhere.
    private static let endOfPlainMethod = "YaKFTE"

    private struct Known {
        var names: [Use: String] = [:]
        /// The last one asked for, which is likely the next.
        var recent: (use: Use, name: String)?

        mutating func name(_ use: Use) -> String? {
            if let recent, recent.use == use { return recent.name }
            guard let name = names[use] else { return nil }
            recent = (use, name)
            return name
        }
    }

    private let known = Locked(Known())

    /// Whether a method is named as the compiler does.
    static func isMangled(_ method: String) -> Bool { method.utf8.starts(with: MangledName.methodPrefix.utf8) }

    /// What a call has as its method: the stable name if the type of the caller's actor has one, else the compiler's.
    func method(_ target: RemoteCallTarget, _ call: CallEncoder, of type: any DistributedActor.Type) -> String {
        let use = Use(actor: ObjectIdentifier(type), types: call.types, method: target.identifier)
        if let name = known.withLock({ $0.name(use) }) { return name }
        // A generic method is in no table; those of a generic type are, and have the type's arguments.
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
