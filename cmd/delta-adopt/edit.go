package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// editManagers changes every statement that makes a manager. It returns how many there are.
func (s *source) editManagers(inspector place) (n int, err error) {
	_, ctrl := s.imported(ctrlPath)
	_, manager := s.imported(managerPath)
	known := map[*ast.CallExpr]bool{}
	makes := func(e ast.Expr) *ast.CallExpr {
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return nil
		}
		if f, ok := selected(call.Fun, ctrl); ok && f.Sel.Name == "NewManager" {
			return call
		}
		if f, ok := selected(call.Fun, manager); ok && f.Sel.Name == "New" {
			return call
		}
		return nil
	}
	ast.Inspect(s.file, func(node ast.Node) bool {
		function, ok := node.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			return true
		}
		ast.Inspect(function, func(node ast.Node) bool {
			block, ok := node.(*ast.BlockStmt)
			for i := 0; ok && i < len(block.List) && err == nil; i++ {
				assign, ok := block.List[i].(*ast.AssignStmt)
				if !ok || len(assign.Rhs) != 1 || len(assign.Lhs) != 2 {
					continue
				}
				if call := makes(assign.Rhs[0]); call != nil {
					known[call] = true
					err = s.editManager(function, block.List[i:], call, inspector)
				}
			}
			return err == nil
		})
		return false
	})
	ast.Inspect(s.file, func(node ast.Node) bool {
		if e, ok := node.(ast.Expr); ok && err == nil {
			if call := makes(e); call != nil && !known[call] {
				err = s.byHand(call, "the manager is not made by an assignment followed by if err != nil; "+
					"assign it so, or call Configure of "+ours+"/pkg/manager for its options by hand")
			}
		}
		return err == nil
	})
	return len(known), err
}

// editManager changes one. The statements begin with the one that makes the manager.
func (s *source) editManager(in *ast.FuncDecl, from []ast.Stmt, call *ast.CallExpr, inspector place) error {
	assign, _ := from[0].(*ast.AssignStmt)
	mgr, ok := assign.Lhs[0].(*ast.Ident)
	failed := checked(from, assign.Lhs[1])
	if !ok || failed == nil {
		return s.byHand(assign, "the next statement does not check the error of the new manager; "+
			"call Configure of "+ours+"/pkg/manager for its options by hand")
	}
	errName := s.of(assign.Lhs[1])
	body := s.of(failed.Body)
	configure := s.add(ours + "/pkg/manager")
	options := s.of(call.Args[1])
	if _, ok := call.Args[1].(*ast.Ident); !ok {
		options = free(in, "options", "managerOptions", "optionsOfManager")
		s.insert(assign.Pos(), options+" := "+s.of(call.Args[1])+"\n")
		s.replace(call.Args[1], options)
	}
	s.insert(assign.Pos(), fmt.Sprintf("if %s := %s.Configure(&%s); %s != nil %s\n", errName, configure, options, errName, body))
	if inspector == "none" {
		return nil
	}
	where := "{BindAddress: " + strconv.Quote(string(inspector)) + "}"
	if inspector == "metrics" {
		where = "{}"
	}
	s.insert(failed.End(), fmt.Sprintf("\nif %s := %s.AddInspector(%s, %s.Options%s); %s != nil %s",
		errName, configure, mgr.Name, s.add(ours+"/pkg/inspect"), where, errName, body))
	return nil
}

// checked returns the if statement after the first one that checks the error.
func checked(from []ast.Stmt, failed ast.Expr) *ast.IfStmt {
	if len(from) < 2 {
		return nil
	}
	check, ok := from[1].(*ast.IfStmt)
	if !ok || check.Init != nil || check.Else != nil {
		return nil
	}
	cond, ok := check.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.NEQ {
		return nil
	}
	x, isName := cond.X.(*ast.Ident)
	null, isNil := cond.Y.(*ast.Ident)
	name, ok := failed.(*ast.Ident)
	if !ok || !isName || !isNil || null.Name != "nil" || x.Name != name.Name {
		return nil
	}
	return check
}

// free returns the first name that a function does not use.
func free(in *ast.FuncDecl, names ...string) string {
	used := map[string]bool{}
	ast.Inspect(in, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for _, name := range names {
		if !used[name] {
			return name
		}
	}
	return names[len(names)-1]
}

// editBuilders has every controller made by our builder.
func (s *source) editBuilders() {
	spec, theirs := s.imported(builderPath)
	ctrlSpec, ctrl := s.imported(ctrlPath)
	if spec != nil { // everything that it is used for, ours has too, or the project does not build
		path := strconv.Quote(ours + "/pkg/builder")
		s.replace(spec.Path, path)
	}
	name := theirs
	others := false
	var replaced []*ast.SelectorExpr
	ast.Inspect(s.file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		f, ok := selected(e, ctrl)
		switch {
		case ok && f == e && f.Sel.Name == "NewControllerManagedBy":
			replaced = append(replaced, f)
		case ok && f == e:
			others = true
		}
		return true
	})
	if len(replaced) == 0 {
		return
	}
	if name == "" {
		name = s.add(ours + "/pkg/builder")
	}
	for _, f := range replaced {
		s.replace(f, name+".ControllerManagedBy")
	}
	if !others {
		s.drop(ctrlSpec)
	}
}

// drop takes out an import that nothing uses any more, and its line.
func (s *source) drop(spec *ast.ImportSpec) {
	from, to := s.offset(spec.Pos()), s.offset(spec.End())
	if s.alone(spec) {
		from -= len("import ")
	}
	from = strings.LastIndexByte(s.text[:from], '\n') + 1
	to += strings.IndexByte(s.text[to:], '\n')
	s.edits = append(s.edits, edit{from, to, ""})
}
