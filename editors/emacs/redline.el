;;; redline.el --- Edits by a fast model, through Eglot  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "29.1"))
;; Keywords: convenience, languages, tools
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands for the language server Redline.  Eglot alone offers its code
;; actions; this adds instructions in words, which run while you go on:
;;
;;   M-x redline-edit       carry out an instruction on the region or line
;;   M-x redline-redirect   give the edit at point another instruction
;;   M-x redline-stop       stop the edits of this buffer
;;
;; An edit lands as one change, which one undo takes back.

;;; Code:

(require 'eglot)
(require 'jsonrpc)

(defgroup redline nil
  "Edits by a fast model."
  :group 'tools)

(defcustom redline-program '("redline" "serve")
  "The program that serves Redline, and its arguments."
  :type '(repeat string))

(defconst redline--longest 3600
  "Seconds after which an answer is not waited for any more.
The server has limits of its own, which are much shorter.")

(defun redline--run (command arguments on-result)
  "Run the server's COMMAND with ARGUMENTS; ON-RESULT gets the result.
Emacs goes on meanwhile.  A failure is shown."
  (let ((server (eglot-current-server)))
    (unless server
      (user-error "No language server here: M-x eglot"))
    ;; What was typed last waits for an idle moment otherwise.
    (eglot--signal-textDocument/didChange)
    (jsonrpc-async-request
     server :workspace/executeCommand
     (list :command (concat "redline." command) :arguments (vector arguments))
     :success-fn on-result
     :error-fn (lambda (problem)
                 (message "Redline: %s" (plist-get problem :message)))
     :timeout-fn (lambda () (message "Redline: no answer to %s" command))
     :timeout redline--longest)))

(defun redline--uri ()
  "Return the URI of this buffer's file."
  (plist-get (eglot--TextDocumentIdentifier) :uri))

(defun redline--lines (beg end)
  "Return the range of the lines from BEG to END, as the server wants it."
  (let ((first (1- (line-number-at-pos beg t)))
        (last (save-excursion
                (goto-char end)
                (- (line-number-at-pos end t)
                   ;; A region that ends at a line's start leaves that line out.
                   (if (and (bolp) (> end beg)) 1 0)))))
    (list :start (list :line first :character 0)
          :end (list :line (max last (1+ first)) :character 0))))

(defun redline--tell (outcome)
  "Show the OUTCOME of an edit, where the buffer does not show it."
  (pcase (plist-get outcome :outcome)
    ("held"
     (message "Redline: held back: %s"
              (mapconcat (lambda (check) (plist-get check :message))
                         (plist-get outcome :checks) " ")))
    ("superseded" nil)
    (_ (when-let* ((text (plist-get outcome :message)))
         (message "Redline: %s" text)))))

(defun redline--prepare (beg end)
  "Tell the server that the lines from BEG to END are about to be edited."
  (when-let* ((server (eglot-current-server)))
    (eglot--signal-textDocument/didChange)
    (jsonrpc-notify server :redline/edit/prepare
                    (list :uri (redline--uri) :range (redline--lines beg end)))))

;;;###autoload
(defun redline-edit (beg end instruction)
  "Carry out INSTRUCTION on the lines from BEG to END.
Interactively, on the region, or on this line without one."
  (interactive
   (let ((beg (if (use-region-p) (region-beginning) (line-beginning-position)))
         (end (if (use-region-p) (region-end) (line-end-position))))
     (redline--prepare beg end)
     (list beg end (read-string "Edit: "))))
  (deactivate-mark)
  (redline--run "edit"
                (list :uri (redline--uri)
                      :range (redline--lines beg end)
                      :instruction instruction)
                #'redline--tell))

;;;###autoload
(defun redline-redirect (instruction)
  "Give the edit at point, which is still written, another INSTRUCTION."
  (interactive (list (read-string "Instead: ")))
  (redline--run "redirect"
                (list :uri (redline--uri)
                      :position (list :line (1- (line-number-at-pos nil t))
                                      :character 0)
                      :instruction instruction)
                (lambda (result)
                  (unless (eq (plist-get result :accepted) t)
                    (message "Redline: the edit was over already")))))

;;;###autoload
(defun redline-stop ()
  "Stop the edits of this buffer."
  (interactive)
  (redline--run "stop" (list :uri (redline--uri))
                (lambda (result)
                  (when (seq-empty-p (plist-get result :stopped))
                    (message "Redline: nothing runs")))))

;;;###autoload
(defun redline-setup (&rest modes)
  "Have Eglot start Redline in MODES, such as `python-mode'."
  (dolist (mode modes)
    (add-to-list 'eglot-server-programs (cons mode redline-program))))

(provide 'redline)
;;; redline.el ends here
