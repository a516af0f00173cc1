import ExampleSupport
import Foundation
import LatticeActors
import LatticeCore
import LatticeTesting
import Testing

@testable import ChecksumsProgram

/// The whole job in one process, with a hasher in it.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ChecksumsFeatureTests {
    private func harness(
        _ state: ChecksumsState = ChecksumsState(),
        hasHasher: Bool = true
    ) throws -> InteractorTestHarness<ChecksumsState, ChecksumsAction> {
        let system = LatticeActorSystem()
        if hasHasher { try system.host(Hasher.name) { Hasher(actorSystem: $0) } }
        let interactor = ChecksumsInteractor(system: system, patience: hasHasher ? .seconds(30) : .milliseconds(1))
        return InteractorTestHarness(initialState: state, interactor: interactor)
    }

    @Test func allFilesGetTheirSums() async throws {
        try await withFolder { folder in
            for number in 0..<150 { try folder.write("\(number)", to: "\(number)") }
            let harness = try harness()
            await harness.sendAndAwait(.hash(HashRequest(root: folder.bytes, workers: 2)))
            let state = harness.currentState
            #expect(state.phase == .finished)
            #expect(state.files.count == 150)
            #expect(state.found == ChecksumsState.Found(files: 150, bytes: 340, isAll: true))
            #expect(state.bytes == 340)
            let sum = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"
            #expect(state.files[PathKey(Array("0".utf8))]?.description == sum)
        }
    }

    @Test("A restarted worker hashes only the files that have no sum yet")
    func goesOn() async throws {
        try await withFolder { folder in
            for number in 0..<5 { try folder.write("\(number)", to: "\(number)") }
            var state = ChecksumsState()
            state.phase = .hashing
            state.request = HashRequest(root: folder.bytes, workers: 1)
            var batch = HashedBatch(process: 1)
            batch.append(HashedFile(path: Array("3".utf8), bytes: 1, checksum: Checksum([3])))
            state.add(batch, from: 0, at: 1)
            state.add([Failure(path: Array("4".utf8), reason: "it was tried")], from: 0)
            #expect(ChecksumsFeature.started(.init(), in: state) != nil)
            #expect(ChecksumsFeature.started(.init(), in: ChecksumsState()) == nil)

            let harness = try harness(state)
            await harness.sendAndAwait(.resume)
            #expect(harness.currentState.phase == .finished)
            #expect(harness.currentState.files.count == 4)
            #expect(harness.currentState.files[PathKey(Array("3".utf8))] == Checksum([3]))
            #expect(harness.currentState.failures.count == 1)
        }
    }

    @Test func withoutAnyHasherItSaysSo() async throws {
        try await withFolder { folder in
            try folder.write("", to: "a")
            let harness = try harness(hasHasher: false)
            await harness.sendAndAwait(.hash(HashRequest(root: folder.bytes, workers: 1)))
            #expect(harness.currentState.phase == .failed)
            #expect(harness.currentState.reason?.hasPrefix("no hasher has been running for ") == true)
        }
    }

    @Test func aCancelledJobEndsAtOnce() async throws {
        try await withFolder { folder in
            try folder.write("", to: "large")
            #expect(truncate(folder.appendingPathComponent("large").path, 1 << 42) == 0)
            let harness = try harness()
            let task = harness.send(.hash(HashRequest(root: folder.bytes, workers: 1)))
            await harness.sendAndAwait(.cancel)
            #expect(await task.finish() == .cancelled)
            #expect(harness.currentState.phase == .cancelled)
        }
    }
}
