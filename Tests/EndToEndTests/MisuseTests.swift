import Foundation
import Testing

/// Tests the compiler's messages for wrong uses of the macros and their protocols.
struct MisuseTests {
    struct Misuse: Sendable {
        /// A line of code.
        let code: String
        /// The errors that belong to it, with their columns.
        let errors: [String]

        init(_ code: String, _ errors: String...) {
            self.code = code
            self.errors = errors
        }
    }

    static let misuses = [
        Misuse(
            "@CasePathable enum Empty {}",
            "20: 'Empty' has no cases for '@CasePathable' to make case paths for"
        ),
        Misuse(
            "@CasePathable struct Structure {}",
            "1: '@CasePathable' can only be applied to an enum, not to struct 'Structure': case paths name the cases of an enum"
        ),
        Misuse(
            "@Interactor<Int> struct One { let body = EmptyInteractor<Int, Int>() }",
            "12: '@Interactor' takes two generic arguments, 'DomainState' and 'Action', or none, but not 1"
        ),
        Misuse(
            "@ViewStateReducer<Int, Int, Int> struct Three {}",
            "18: '@ViewStateReducer' takes two generic arguments, 'DomainState' and 'ViewState', or none, but not 3"
        ),
        Misuse(
            "@Interactor<Int, Int> struct Nothing {}",
            """
            30: 'Nothing' needs 'body' or 'interact(state:action:)' to be an interactor. If an extension has it, \
            declare the conformance to 'Interactor' there, because '@Interactor' cannot see it.
            """
        ),
        Misuse(
            "@Interactor<Int, Int> struct Other { var body: some Interactor<Int, String> { EmptyInteractor() } }",
            """
            53: Generic parameters have already been applied to '@Interactor', and those of 'body' differ from them. \
            Use 'some InteractorOf<Self>' here.
            """
        ),
        Misuse(
            "struct Bare: Interactor { typealias DomainState = Int; typealias Action = Int }",
            "8: type 'Bare' does not conform to protocol 'Interactor'",
            """
            8: unavailable instance method 'interact(state:action:)' was used to satisfy a requirement of protocol \
            'Interactor': Declare 'body', or implement 'interact(state:action:)'
            """
        ),
        Misuse(
            "struct Reducing: ViewStateReducer { func reduce(_ state: Int, into view: inout Int) {} }",
            "8: type 'Reducing' does not conform to protocol 'ViewStateReducer'",
            """
            8: unavailable instance method 'initialViewState(for:)' was used to satisfy a requirement of protocol \
            'ViewStateReducer': Implement 'initialViewState(for:)', or let the view state conform to \
            DefaultValueProvider
            """
        ),
        Misuse(
            "@ViewStateReducer<Int, Int> struct R { var body: some ViewStateReducerOf<Self> { Self.buildViewState { $1 = $0 } } }",
            """
            116: '_defaultViewState()' is unavailable: Pass 'initial:', let the view state conform to \
            DefaultValueProvider, or implement 'initialViewState(for:)'
            """
        ),
    ]

    @Test("Misuse does not compile, and the compiler explains each one once (W30, W37)", .timeLimit(.minutes(10)))
    func misuseIsExplained() async throws {
        let output = try await compile(["import Lattice"] + Self.misuses.map(\.code))
        var errors: [Int: [String]] = [:]
        for match in output.matches(of: /misuse\.swift:(\d+):(\d+): error: (.*)/.anchorsMatchLineEndings()) {
            let text = match.3.prefix { $0 != "\n" }
            // The compiler adds which macro an error came from.
            let message = text.split(separator: " (from macro '").first ?? text
            guard let line = Int(match.1) else { continue }
            errors[line, default: []].append("\(match.2): \(message)")
        }
        let inMacros = /macro expansion @\w+:\d+:\d+: error: (.*)\n.*misuse\.swift:(\d+):(\d+): note: expanded code/
        for match in output.matches(of: inMacros.anchorsMatchLineEndings()) {
            guard let line = Int(match.2) else { continue }
            errors[line, default: []].append("\(match.3): \(match.1)")
        }
        for (index, misuse) in Self.misuses.enumerated() {
            #expect(errors[index + 2] == misuse.errors, "\(misuse.code)")
        }
        #expect(errors.count == Self.misuses.count, "\(output)")
    }

    /// Type checks lines of code as a client of Lattice that is built together with these tests.
    ///
    /// - Returns: what the compiler wrote.
    private func compile(_ lines: [String]) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lattice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("misuse.swift")
        try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)

        // LatticeCore depends on a C module.
        let moduleMap = Programs.path("CLatticeThreads.build/module.modulemap")
        let arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-I", Programs.path("Modules"),
            "-Xcc", "-fmodule-map-file=" + moduleMap,
            "-load-plugin-executable", Programs.path("LatticeMacros-tool") + "#LatticeMacros", file.path,
        ]
        return try await Programs.run("/usr/bin/env", arguments, takesErrors: true).output
    }
}
