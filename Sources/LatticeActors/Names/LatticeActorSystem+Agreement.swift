import Distributed
import LatticeConcurrency
import LatticeSession
import LatticeWire

/// What is known of the tables of actors elsewhere.
final class StableAgreements: Sendable {
    private struct Use: Hashable {
        let actor: LatticeActorID
        let type: ObjectIdentifier
    }

    /// Actors that were asked, with the types that they were taken for. Then it begins anew.
    private static let maximumKnown = 4_096

    private let known = Locked<[Use: Bool]>([:])

    /// Whether it has a table, which agrees with that of the type; nil: it was not asked.
    func hasTable(_ actor: LatticeActorID, as type: any DistributedActor.Type) -> Bool? {
        known.withLock { $0[Use(actor: actor, type: ObjectIdentifier(type))] }
    }

    func add(_ actor: LatticeActorID, as type: any DistributedActor.Type, hasTable: Bool) {
        known.withLock { known in
            if known.count >= Self.maximumKnown { known = [:] }
            known[Use(actor: actor, type: ObjectIdentifier(type))] = hasTable
        }
    }
}

extension LatticeActorSystem {
    /// The same identity, which says whether the actor has a table of stable names: it is asked for that once, if the
    /// type that it is taken for has one.
    ///
    /// - Throws: ``ActorCallError`` with ``ActorCallError/Code/unknownMethod`` if a method of the type is missing there
    ///   or has another signature, and what says that it cannot be asked; `CancellationError`.
    func agreed(on id: LatticeActorID, as type: any DistributedActor.Type) async throws -> LatticeActorID {
        guard let table = StableTable.of(type) else { return id }
        var id = id
        if let hasTable = agreements.hasTable(id, as: type) {
            id.hasTable = hasTable
            return id
        }
        let list = try await stableMethods(of: id)
        id.hasTable = !list.methods.isEmpty
        if id.hasTable, let mismatch = table.mismatch(with: list, at: id.process) {
            throw error(.unknownMethod, "\(mismatch); build both programs from sources that agree", id)
        }
        agreements.add(id, as: type, hasTable: id.hasTable)
        return id
    }

    /// None: it has no table, or its program knows of none.
    private func stableMethods(of id: LatticeActorID) async throws -> StableMethodList {
        let latest = ContinuousClock.now + ActorNode.answerTimeout
        let call = OutgoingCall(
            to: 0,
            of: id.node,
            method: NodeMethod.methods.rawValue,
            arguments: ActorOfNode(actor: id.number).bytes,
            terms: CallContext(deadline: EventDeadline(min(latest, TaskDeadline.current ?? latest)))
        )
        var reply = await node.ask(call)
        switch reply.code {
        case .returned:
            do throws(WireError) {
                return try StableMethodList(bytes: reply.value ?? [])
            } catch {
                throw self.error(
                    .undecodable,
                    "the table of the methods of \(id) cannot be read: \(error.sentence)",
                    id
                )
            }
        case .noMethod: return StableMethodList(methods: [])
        case .cancelled: throw CancellationError()
        default:
            // To ask begins no method.
            reply.begun = nil
            var error = ActorCallError(reply, "asking \(id) for its methods")
            error.actor = id
            throw error
        }
    }

    private func error(_ code: ActorCallError.Code, _ message: String, _ id: LatticeActorID) -> ActorCallError {
        var error = ActorCallError(code, message, .notSent)
        error.actor = id
        return error
    }
}
