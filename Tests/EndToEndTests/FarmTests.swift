import Foundation
import LatticeTestSupport
import Testing

/// farm, with real workers and programs, against xargs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FarmTests {
    /// Names that a shell would divide, expand or run.
    private static let names =
        (1...12).map { "\($0).log" } + ["a b", "it's", "$(id) `id`", "*", "two\nlines", "\"quoted\""]

    private static func withFiles(_ body: (_ folder: String, _ files: [String]) async throws -> Void)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let files = try names.map { name in
                let path = directory + "/" + name
                try String(repeating: "\(name) line\n", count: 200).write(
                    toFile: path,
                    atomically: true,
                    encoding: .utf8
                )
                return path
            }
            try await body(directory, files)
        }
    }

    private static func farm(_ arguments: [String]) async throws -> Programs.Run {
        try await Programs.run(Programs.path("farm"), arguments, takesErrors: true)
    }

    private static func contents(of folder: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0))) }
        )
    }

    @Test("The files are those that xargs makes, whatever their names")
    func sameAsXargs() async throws {
        try await Self.withFiles { expected, others in
            let line = #"printf '%s\0' "$@" | xargs -0 -n 1 -P 2 gzip -9n"#
            let xargs = try await Programs.run("/bin/sh", ["-c", line, "sh"] + others, takesErrors: true)
            #expect(xargs.status == 0, "\(xargs.output)")
            for command in ["gzip -9n {}", "gzip -9n"] {
                try await Self.withFiles { folder, files in
                    let run = try await Self.farm(["-j", "2", command] + files)
                    #expect(run.status == 0 && run.output.contains("18 of 18 jobs succeeded"), "\(run.output)")
                    let (made, wanted) = (try Self.contents(of: folder), try Self.contents(of: expected))
                    #expect(made == wanted)
                }
            }
        }
    }

    @Test("The output of the commands and of the Swift job is that of the same work without a farm")
    func output() async throws {
        try await Self.withFiles { _, files in
            let run = try await Programs.run(Programs.path("farm"), ["-j", "2", "wc -l < {}"] + files)
            let lines = run.output.split(separator: "\n").sorted()
            // The name of one file, and so each of its lines, has a line break.
            #expect(run.status == 0 && lines == Array(repeating: "200", count: files.count - 1) + ["400"])
            let count = try await Programs.run(Programs.path("farm"), ["--count"] + files)
            #expect(count.status == 0)
            let expected = files.map { "\($0.contains("\n") ? 400 : 200) \($0)" }
            for line in expected { #expect(count.output.contains(line)) }
        }
    }

    @Test("A command that fails runs again as often as asked, the report names its file, and the others succeed")
    func retries() async throws {
        try await Self.withFiles { _, files in
            let command = "echo x >> {}.runs; case {} in */7.log) echo no paper >&2; exit 3;; esac"
            let run = try await Self.farm(["-j", "2", "--retries", "2", command] + files)
            #expect(run.status == 1)
            #expect(run.output.contains("7.log: ") && run.output.contains("no paper"), "\(run.output)")
            #expect(run.output.contains("17 of 18 jobs succeeded"), "\(run.output)")
            for file in files {
                let runs = try String(contentsOfFile: file + ".runs", encoding: .utf8)
                #expect(runs == String(repeating: "x\n", count: file.hasSuffix("/7.log") ? 3 : 1))
            }
        }
    }

    @Test("A command that hangs passes its limit, and a cancelled one ends, each alone")
    func limits() async throws {
        try await Self.withFiles { _, files in
            let hang = "case {} in */7.log) sleep 1000;; esac"
            let limited = try await Self.farm(["-j", "2", "--time", "3", hang] + files)
            #expect(limited.status == 1)
            #expect(limited.output.contains("and its limit is 3.0 seconds"), "\(limited.output)")
            #expect(limited.output.contains("17 of 18 jobs succeeded"), "\(limited.output)")
            // The file that hangs is the seventh. It is cancelled once its command runs.
            let running = "case {} in */7.log) : > $(dirname {})/running; sleep 1000;; esac"
            let line = #"(while [ ! -e "$RUNNING" ]; do sleep 0.1; done; echo c 7) | "$0" --control -j 2 "$@""#
            let ready = #"RUNNING=$(dirname "$2")/running; "#
            let cancelled = try await Programs.run(
                "/bin/sh",
                ["-c", ready + line, Programs.path("farm"), running] + files,
                takesErrors: true
            )
            #expect(cancelled.status == 1 && cancelled.output.contains("was cancelled"), "\(cancelled.output)")
            #expect(cancelled.output.contains("17 of 18 jobs succeeded"), "\(cancelled.output)")
        }
    }

    @Test("The output of commands that fail is written too, as xargs does")
    func outputOfFailures() async throws {
        try await Self.withFiles { folder, files in
            // Each command writes one line at once, because xargs does not separate them, and every second one fails.
            let body = #"printf '%s\n' "$(basename "$1" | tr '\n' _)"; case $1 in *[02468].log|*"'"*) exit 3;; esac"#
            let script = folder + "/one.sh"
            try body.write(toFile: script, atomically: true, encoding: .utf8)
            let comparison = #"""
                script=$1; shift
                "$0" -j 2 "sh $script" "$@" 2> /dev/null > "$script.farm"; status=$?
                printf '%s\0' "$@" | xargs -0 -n 1 -P 2 sh "$script" > "$script.xargs"
                sort "$script.farm" > "$script.1"; sort "$script.xargs" | diff - "$script.1" && wc -l < "$script.1"
                exit $status
                """#
            let run = try await Programs.run(
                "/bin/sh",
                ["-c", comparison, Programs.path("farm"), script] + files,
                takesErrors: true
            )
            #expect(run.status == 1)
            let lines = run.output.split(separator: "\n").last.map(String.init)
            #expect(lines?.trimmingCharacters(in: .whitespaces) == "\(files.count)", "\(run.output)")
        }
    }

    @Test(
        "A {} that is not a word of its own is refused before anything runs",
        arguments: [
            #"touch '{}'"#, #"touch "{}""#, #"touch "$(cat {})""#, #"touch \{}"#, "true # {}", "cat << end\n{}\nend",
            #"echo $'\'' '{}'"#, #"echo "\"" "{}""#,
        ]
    )
    func quotes(command: String) async throws {
        let run = try await Self.farm([command, "file"])
        #expect(run.status == 64 && run.output.contains("farm quotes the name itself"), "\(run.output)")
    }

    @Test(
        "A {} may stand next to quotes and within substitutions",
        arguments: [
            #"printf '%s;' {}"#, #"printf "%s;" $(printf %s {})"#, #"printf %s {}';'"#, "printf '%s;' {} #'",
            "printf %s\\; {}",
        ]
    )
    func openPlaces(command: String) async throws {
        let run = try await Programs.run(Programs.path("farm"), [command, "file"])
        #expect(run.status == 0 && run.output == "file;", "\(run.output)")
    }

    @Test(
        "A limit outside of its range is refused",
        arguments: [
            ["--time", "nan"], ["--time", "1e30"], ["--time", "0"], ["--silence", "inf"], ["--silence", "0.1"],
            ["--memory", "0"], ["--memory", "9223372036854775807"],
        ]
    )
    func ranges(option: [String]) async throws {
        let run = try await Self.farm(option + ["true", "file"])
        #expect(run.status == 64 && run.output.contains("for \(option[0])"), "\(run.output)")
    }

    @Test("A Swift job that cannot read its file fails")
    func unreadable() async throws {
        try await withTemporaryDirectory { directory in
            let run = try await Self.farm(["--count", directory])
            #expect(run.status == 1 && run.output.contains("cannot be read"), "\(run.output)")
        }
    }

    @Test("Killed workers cost attempts only, and the result is the same")
    func killedWorkers() async throws {
        try await Self.withFiles { folder, files in
            try await Self.runKillingWorkers(["-j", "2", "--retries", "20", "sleep 0.2; gzip -9nkf {}"] + files)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.count { $0.hasSuffix(".gz") } == files.count && names.count == 2 * files.count)
        }
    }

    /// Runs a farm, and kills three of its workers.
    @MainActor private static func runKillingWorkers(_ arguments: [String]) async throws {
        try await withProgram("farm", arguments) { program in
            var killed: Set<Int32> = []
            try await poll {
                for worker in (try? children(of: program.identifier)) ?? [] where killed.insert(worker).inserted {
                    kill(worker, SIGKILL)
                }
                return killed.count >= 3
            }
            #expect(await program.end() == .init(reason: .exit, status: 0))
        }
    }
}
