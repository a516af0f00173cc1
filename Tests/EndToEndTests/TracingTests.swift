import Foundation
import InMemoryTracing
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import LatticeTracing
import Testing
import TracingTestSupport

/// Tests the spans of a client, a coordinator and a worker that are three processes.
@MainActor @Suite(.timeLimit(.minutes(10))) struct TracingTests {
    /// The spans of three processes.
    private struct Spans {
        let client: [TestSpan]
        let coordinator: [TestSpan]
        let worker: [TestSpan]

        var all: [TestSpan] { client + coordinator + worker }

        func parent(of span: TestSpan) -> TestSpan? { all.first { $0.id == span.parent } }
    }

    /// Lets the client of `traced` send its events, and then calls `body` with all spans.
    private func withSpans(
        _ body: (Spans, InMemoryTracer, ViewModel<TracedFeature>) async throws -> Void
    ) async throws {
        let tracer = InMemoryTracer.forProcesses()
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("traced"))
            configuration.observers.append(RuntimeTracing(tracer: tracer, start: .insideSpans).observer)
            configuration.heartbeatTimeout = .seconds(60)
            try await withCoordinator(hosting: TracedFeature.self, listeningAt: path, configuration: configuration) {
                let own = try await $0.viewModel(TracedFeature.self)
                try await withProgram("traced", [path]) { client in
                    let output = await client.restOfOutput()
                    #expect(output.contains("outcome: finished") && output.contains("outcome: failed: "))
                    let spans = Spans(
                        client: output.split(separator: "\n").compactMap { TestSpan($0) },
                        coordinator: tracer.ended,
                        worker: try await own.ask(.spans)
                    )
                    try await body(spans, tracer, own)
                }
            }
        }
    }

    @Test("An event of a client is found in one trace with its effects, in three processes")
    func event() async throws {
        try await withSpans { spans, _, _ in
            let click = try #require(spans.client.first { $0.name == "click" })
            let event = try #require(spans.client.first { $0.name == "event traced" })
            #expect(event.parent == click.id && event.error == nil)
            let id = try #require(event.attributes["lattice.event.id"])
            #expect(event.attributes["lattice.outcome"] == "finished")
            #expect(event.attributes["lattice.feature"] == "traced")
            let forwarded = try #require(spans.coordinator.first { $0.attributes["lattice.event.id"] == id })
            #expect(forwarded.name == "forward traced" && forwarded.parent == event.id)
            let turn = try #require(spans.worker.first { $0.attributes["lattice.event.id"] == id })
            #expect(turn.name == "turn traced" && turn.parent == forwarded.id)
            // The turn has an effect, which causes a turn, which has an effect, which causes a turn.
            let first = try #require(spans.worker.first { $0.parent == turn.id })
            #expect(first.name == "effect traced" && first.attributes["lattice.effect.name"] == "first")
            let inside = spans.worker.filter { $0.parent == first.id }
            #expect(Set(inside.map(\.name)) == ["work of the program", "turn traced"])
            let more = try #require(inside.first { $0.name == "turn traced" })
            let second = try #require(spans.worker.first { $0.parent == more.id })
            #expect(second.name == "effect traced" && second.attributes["lattice.effect.name"] == nil)
            #expect(spans.worker.contains { $0.parent == second.id && $0.name == "turn traced" })
            // All of it is one trace, and no ID is in a name.
            for span in spans.all { #expect(span.trace == click.trace && !span.name.contains(id)) }
        }
    }

    @Test("An effect that throws sets the status of its span, and of the spans of its event in all processes")
    func failure() async throws {
        try await withSpans { spans, _, _ in
            let failed = spans.all.filter { $0.error != nil }
            #expect(Set(failed.map(\.name)) == ["event traced", "forward traced", "effect traced"])
            for span in failed {
                #expect(span.error?.contains("it fails") == true)
                #expect(span.attributes["error.type"] == "failed")
            }
            let effect = try #require(failed.first { $0.name == "effect traced" })
            #expect(spans.parent(of: effect)?.name == "turn traced")
        }
    }

    @Test("A question of a client is traced where it is asked and where it is answered")
    func question() async throws {
        try await withSpans { spans, _, _ in
            let click = try #require(spans.client.first { $0.name == "click" })
            let asked = try #require(spans.client.first { $0.parent == click.id && $0.attributes["rpc.method"] != nil })
            #expect(asked.attributes["rpc.system.name"] == "lattice")
            let answered = try #require(spans.coordinator.first { $0.parent == asked.id })
            let passedOn = try #require(spans.coordinator.first { $0.parent == answered.id })
            #expect(spans.worker.contains { $0.parent == passedOn.id && $0.name == asked.name })
        }
    }

    @Test("A restart of a worker has a span of its own, with the cause")
    func restart() async throws {
        try await withSpans { _, tracer, own in
            await #expect(throws: QuestionError.self) { _ = try await own.ask(.crash) }
            try await poll { tracer.ended.contains { $0.name == "restart" } }
            let restart = try #require(tracer.ended.first { $0.name == "restart" })
            #expect(restart.parent == nil && restart.attributes["lattice.cause"] == "exit")
            #expect(restart.attributes["lattice.outcome"] == "serving" && restart.error == nil)
        }
    }
}
